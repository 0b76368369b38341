import { berth, sentence } from '../../../core/message.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { type Json, stringAt } from '../../../core/json.ts';
import { defineCommand } from '../../../cli/model/command.ts';
import { option } from '../../../cli/model/params.ts';
import { hasSelector, nothingSelected, selectTargets } from '../../../cli/resource/choose.ts';
import { selectorOptions } from '../../../cli/resource/select/selectors.ts';
import { outcomeResult, SEVERAL } from '../../../cli/resource/several/outcomes.ts';
import type { WaitSpec } from '../../../cli/resource/wait-for-row.ts';
import { isStuck, paidWhile, stuckNotes, waitForEach, waitForPod } from './wait-for-status.ts';
import { describeReach, isAt, REACHABLE, statusOf, unpublishedNotes } from '../pod/reachable.ts';
import { PODS } from '../pod/resource.ts';
import { STATUSES } from '../pod/fields.ts';
import { idsArgument, rowSchema } from '../../../cli/resource/read.ts';
import { waitTimeoutOption } from '../../../cli/model/common-options.ts';
import { either } from '../../../cli/model/output-schema.ts';
import { OUTCOMES } from '../../../cli/model/common-schemas.ts';

/** The `--wait` of commands that start or stop a pod. */
export const untilStatus = (wanted: string): WaitSpec => ({
  until: wanted,
  done: (pod) => isAt(pod, wanted),
  bad: (pod) => isStuck(pod, wanted),
  ...(wanted === REACHABLE ? { describe: describeReach } : {}),
  stillRunning: (pod) => paidWhile([pod], wanted),
  notes: (pod) =>
    isStuck(pod, wanted) || statusOf(pod) === 'EXITED'
      ? stuckNotes(pod, wanted)
      : wanted === REACHABLE
        ? unpublishedNotes(pod)
        : [],
});

export const wait = defineCommand({
  output: either(rowSchema(PODS), OUTCOMES),
  summary: 'wait until pods can be reached, or have a status',
  waits: true,
  exits: [EXIT.jobFailed],
  details: `A pod is reachable once it is RUNNING and its published ports and SSH have their addresses, which takes a while longer. Ends with 0 when all pods have the status, 10 when a pod is in ERROR or terminated and cannot get it, 9 after --wait-timeout, or at once if a pod is stopped and must be started first. A pod that does not exist any more counts as TERMINATED. ${SEVERAL} Selectors read the list once, when the wait begins: berth help selectors.`,
  args: { id: idsArgument(PODS) },
  options: {
    for: option.choice('what to wait for', [REACHABLE, ...STATUSES], { metavar: 'WORD', initial: REACHABLE }),
    waitTimeout: waitTimeoutOption('how long to wait'),
    ...selectorOptions(PODS.table, 'pods'),
  },
  examples: [
    ['berth pods wait train-llm', 'until it can be reached'],
    ['berth pods wait train-llm --for running', 'until its container was started'],
    ['berth pods wait pod-stopped pod-notebook --for EXITED --wait-timeout 1h', 'until both have stopped'],
    ["berth pods wait --match 'train-*'", 'until some of them can be reached'],
  ],
  run: async (ctx, values) => {
    const { for: wanted = REACHABLE, waitTimeout } = values;
    const isSelected = hasSelector(values);
    const ids = isSelected ? (await selectTargets(ctx, PODS, values)).targets.map(({ word }) => word) : values.id;
    const [only, ...others] = ids;
    if (only === undefined) return nothingSelected(ctx, PODS, 'waited for');
    if (!isSelected && others.length === 0) return await waitForPod(ctx, only, wanted, waitTimeout, refuseStopped);
    return outcomeResult(ctx, 'pod', await waitForEach(ctx, ids, wanted, waitTimeout, refuseStopped), wanted);
  },
});

/** Statuses that a stopped pod reaches only after a start. */
const AFTER_START = [REACHABLE, 'PROVISIONING', 'STARTING', 'RUNNING'];

/** Fails with wait-ended (9) where the pod is stopped and the wanted status needs a start. */
function refuseStopped(pod: Json, wanted: string): void {
  if (statusOf(pod) !== 'EXITED' || !AFTER_START.includes(wanted)) return;
  const id = stringAt(pod, 'id') ?? '?';
  throw new Failure({
    code: 'wait-ended',
    exit: EXIT.waitEnded,
    message: `pod ${id} is EXITED: it will not become ${wanted} by itself`,
    hint: sentence`Start it and wait: ${berth`pods start ${id} --wait`}`,
    id,
  });
}
