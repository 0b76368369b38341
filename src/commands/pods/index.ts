import { defineGroup } from '../../cli/command.ts';
import { deleteCommand } from '../../cli/resource/write.ts';
import { restart, start, stop } from './act.ts';
import { create } from './create.ts';
import { explain } from './explain/index.ts';
import { get, SUMMARY } from './get.ts';
import { list } from './list.ts';
import { logs } from './logs.ts';
import { PODS } from './resource.ts';
import { ssh } from './ssh.ts';
import { update } from './update.ts';
import { wait } from './wait.ts';

const terminate = deleteCommand(PODS, 'pods', {
  summary: 'terminate pods for good',
  details: 'delete and terminate are the same command.',
  loss: 'Container disks and persistent mounts are destroyed; network volumes are kept.',
  done: 'terminated',
});

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
});
