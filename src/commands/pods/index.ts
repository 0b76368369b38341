import { EXIT } from '../../core/exit.ts';
import { memberAt } from '../../core/json.ts';
import { defineGroup } from '../../cli/command.ts';
import { option } from '../../cli/params.ts';
import { getCommand } from '../../cli/resource/read.ts';
import { deleteCommand } from '../../cli/resource/write.ts';
import { restart, start, stop } from './act.ts';
import { create } from './create.ts';
import { list } from './list.ts';
import { logs } from './logs.ts';
import { PODS } from './resource.ts';
import { ssh } from './ssh.ts';
import { update } from './update.ts';
import { podNotes } from './view.ts';
import { wait } from './wait.ts';

const get = getCommand(PODS, {
  summary: 'show a pod: its state, cost, hardware, live use, mounts and ports',
  options: { exitStatus: option.on('end 10 when the pod is in ERROR') },
  watch: true,
  outcome: (row, { exitStatus }) => ({
    notes: podNotes(row),
    ...(exitStatus && memberAt(row, 'status') === 'ERROR' ? { exit: EXIT.jobFailed } : {}),
  }),
  examples: [
    ['berth pods get POD --watch', 'follow its live use'],
    ['berth pods get POD --fields id,runtime.gpus --json', 'only these members'],
  ],
});

const terminate = deleteCommand(PODS, 'pods', {
  summary: 'terminate pods for good',
  details: 'delete and terminate are the same command.',
  loss: 'Container disks and persistent mounts are destroyed; network volumes are kept.',
  done: 'terminated',
});

export const pods = defineGroup('GPU and CPU containers', {
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
  ssh,
});
