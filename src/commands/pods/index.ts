import { noun } from '../../cli/resource/noun.ts';
import { restart, start, stop } from './actions.ts';
import { connect } from './connect.ts';
import { cp } from './cp.ts';
import { create } from './create.ts';
import { exec } from './exec.ts';
import { explain } from './explain.ts';
import { forward } from './forward.ts';
import { logs } from './logs.ts';
import { get, list, SUMMARY } from './reads.ts';
import { ssh } from './ssh.ts';
import { sshConfig } from './ssh-config.ts';
import { terminate } from './terminate.ts';
import { update } from './update.ts';
import { wait } from './wait.ts';

export const pods = noun(SUMMARY, {
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
