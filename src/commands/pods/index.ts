import { defineGroup } from '../../cli/model/command.ts';
import { restart, start, stop } from './act.ts';
import { connect } from './connect.ts';
import { cp } from './cp.ts';
import { create } from './create.ts';
import { exec } from './exec.ts';
import { explain } from './explain.ts';
import { forward } from './forward.ts';
import { get, SUMMARY } from './get.ts';
import { list } from './list.ts';
import { logs } from './logs.ts';
import { ssh } from './ssh.ts';
import { sshConfig } from './ssh-config.ts';
import { terminate } from './terminate.ts';
import { update } from './update.ts';
import { wait } from './wait.ts';

export const pods = defineGroup(SUMMARY, {
  list,
  get,
  create,
  update,
  delete: terminate,
  terminate,
  start,
  stop,
  restart,
  wait,
  logs,
  explain,
  ssh,
  exec,
  cp,
  forward,
  connect,
  'ssh-config': sshConfig,
});
