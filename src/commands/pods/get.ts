import { EXIT } from '../../core/exit-codes.ts';
import { endedWhen } from '../../cli/model/command.ts';
import { option } from '../../cli/model/params.ts';
import { get as getOf } from '../../cli/resource/noun.ts';
import { statusOf } from './reachable.ts';
import { PODS } from './fields.ts';

export const get = getOf(PODS, {
  summary: 'show a pod: its state, cost, hardware, live use, mounts and ports',
  options: { exitStatus: option.on('end 10 when the pod is in ERROR') },
  exits: [EXIT.jobFailed],
  watch: endedWhen((pod) => ['ERROR', 'TERMINATED'].includes(statusOf(pod))),
  outcome: (pod, { exitStatus }) => (exitStatus && statusOf(pod) === 'ERROR' ? { exit: EXIT.jobFailed } : {}),
  examples: [['berth pods get train-llm --fields id,runtime.gpus --json', 'only these members']],
});
