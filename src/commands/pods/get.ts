import { EXIT } from '../../core/exit-codes.ts';
import { memberAt, stringAt } from '../../core/json.ts';
import { defineGroup, endedWhen } from '../../cli/model/command.ts';
import { option } from '../../cli/model/params.ts';
import { getCommand } from '../../cli/resource/read.ts';
import { podNotes, PODS } from './resource.ts';

export const SUMMARY = 'GPU and CPU containers';

export const get = getCommand(PODS, {
  summary: 'show a pod: its state, cost, hardware, live use, mounts and ports',
  options: { exitStatus: option.on('end 10 when the pod is in ERROR') },
  exits: [EXIT.jobFailed],
  // A pod in ERROR does not recover, and a terminated one is gone (specification 3.1).
  watch: endedWhen((row) => ['ERROR', 'TERMINATED'].includes(stringAt(row, 'status') ?? '')),
  outcome: (row, { exitStatus }) => ({
    notes: podNotes(row),
    exit: exitStatus && memberAt(row, 'status') === 'ERROR' ? EXIT.jobFailed : undefined,
  }),
  examples: [
    ['berth pods get train-llm --watch', 'follow its use, with its history'],
    ['berth pods get train-llm --fields id,runtime.gpus --json', 'only these members'],
  ],
});

/** `get` alone loads less: `pods get` is the most frequent command. */
export const podsGet = defineGroup(SUMMARY, { get });
