import { EXIT } from '../../core/exit.ts';
import { memberAt } from '../../core/json.ts';
import { defineGroup } from '../../cli/command.ts';
import { option } from '../../cli/params.ts';
import { getCommand, listCommand, type Resource } from '../../cli/resource/read.ts';
import { podNotes, podView } from './view.ts';

const PODS: Resource = { noun: 'pod', path: ['v2', 'pods'], member: 'pods', view: podView };

const list = listCommand(PODS, {
  summary: 'list pods',
  options: { all: option.on('members of clusters too', { short: '-a' }) },
  query: ({ all }) => (all ? { includeClusterPods: true } : {}),
  examples: [
    ['berth pods list -o wide', 'every column'],
    ['berth pods list -o id', 'the ids alone, one a line'],
  ],
});

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

export const pods = defineGroup('GPU and CPU containers', { list, get });
