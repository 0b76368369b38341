/** What a pod can be waited for, and how. */
import type { ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound } from '../../core/failure.ts';
import { itemsAt, stringAt } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { answerResult, asksForData, idOf, type Result } from '../../output/view.ts';
import { run } from '../../cli/hint.ts';
import { defineCommand, waitTimeoutOption } from '../../cli/model/command.ts';
import { either, outcomesSchema } from '../../cli/model/output-schema.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { idsArgument, rowSchema, selectorOptions } from '../../cli/resource/arguments.ts';
import { type Outcome, outcomeResult, SEVERAL } from '../../cli/resource/several.ts';
import { answerOf, choose, readRow, report } from '../../cli/resource/targets.ts';
import { type Goal, until } from '../../cli/until.ts';
import { PODS, STATUSES } from './fields.ts';
import { describeReach, isAt, REACHABLE, statusOf } from './reachable.ts';

/** Statuses that a stopped pod reaches only after a start. */
const AFTER_START = [REACHABLE, 'PROVISIONING', 'STARTING', 'RUNNING'];

/** A pod that has a status, or whose published ports and SSH can be reached. */
export const goalOf = (wanted: string): Goal => ({
  noun: 'pod',
  name: wanted,
  done: (pod) => isAt(pod, wanted),
  stuck: (pod) => {
    const [status, id] = [statusOf(pod), idOf(pod)];
    if (['ERROR', 'TERMINATED'].includes(status))
      return new Failure({
        code: 'not-reached',
        exit: EXIT.jobFailed,
        message: `pod ${id} is ${status}, not ${wanted}`,
        hint: status === 'ERROR' ? run(berth`pods explain ${id}`, berth`pods terminate ${id}`) : undefined,
        id,
      });
    if (status !== 'EXITED' || !AFTER_START.includes(wanted)) return undefined;
    const hint = run(berth`pods start ${id} --wait`);
    return new Failure({ code: 'wait-ended', exit: EXIT.waitEnded, message: `pod ${id} is stopped`, hint, id });
  },
  describe: (pod) => (wanted === REACHABLE ? describeReach(pod) : statusOf(pod)),
  resume: (ids) => berth`pods wait ${ids} --for ${wanted}`,
});

/** A pod that was there and is not any more is TERMINATED. */
export function readerOf(ctx: CommandContext, word: string, isKnown = false): () => Promise<ApiAnswer> {
  let wasSeen = isKnown;
  return async () => {
    try {
      const answer = await readRow(ctx, PODS, word);
      wasSeen = true;
      return answer;
    } catch (error) {
      if (!isNotFound(error) || !wasSeen) throw error;
      return answerOf({ id: ctx.ids.get(PODS, word) ?? word, status: 'TERMINATED' });
    }
  };
}

/** Waits for pods whose write succeeded, or that were named. Those that failed before keep their failure. */
export async function waitFor(
  ctx: CommandContext,
  pods: readonly Outcome[],
  wanted: string,
  timeoutMs: number,
  isFirst = false,
): Promise<readonly Outcome[]> {
  const open = pods.filter(({ failure }) => failure === undefined);
  const awaited = open.map(({ id }) => ({ id, read: readerOf(ctx, id), isFirst }));
  const ends = new Map((await until(ctx, awaited, goalOf(wanted), timeoutMs)).map((end) => [end.id, end]));
  return pods.map((pod) => {
    const { answer = pod.answer, failure = pod.failure } = ends.get(pod.id) ?? {};
    const row = answer?.value ?? null;
    const known =
      answer === undefined ? {} : { answer, name: stringAt(row, 'name') ?? pod.name, status: statusOf(row) };
    return { ...pod, id: ctx.ids.get(PODS, pod.id) ?? pod.id, ...known, failure };
  });
}

/** One pod: its document with -o, else a line. Several: an outcome each. */
export function waitResult(ctx: CommandContext, pods: readonly Outcome[], isSelected: boolean, wanted: string): Result {
  const [only, ...others] = pods;
  if (isSelected || only === undefined || others.length > 0) return outcomeResult(ctx, 'pod', pods, wanted);
  const { answer, failure } = only;
  // An ended pod is data too; a wait that ended is not.
  if (answer === undefined || (failure !== undefined && failure.exit !== EXIT.jobFailed))
    throw failure ?? new Error('no end');
  if (asksForData(ctx.output)) return { ...answerResult(PODS.view, answer), failure };
  if (failure !== undefined) throw failure;
  // Of a pod without ports there is nothing to reach.
  const end = itemsAt(answer.value, 'ports').length === 0 ? statusOf(answer.value ?? null) : wanted;
  return { kind: 'nothing', notes: ctx.settings.get('quiet') ? [] : [`pod ${only.name ?? only.id} is ${end}`] };
}

export const wait = defineCommand({
  summary: 'wait until pods can be reached, or have a status',
  details: `A pod is reachable once it is RUNNING and its published ports and SSH have addresses. A pod that disappears counts as TERMINATED. ${SEVERAL}`,
  args: { id: idsArgument(PODS) },
  options: {
    for: option.choice('what to wait for', [REACHABLE, ...STATUSES], { metavar: 'WORD', initial: REACHABLE }),
    waitTimeout: waitTimeoutOption('how long to wait'),
    ...selectorOptions(PODS.table, 'pods'),
  },
  output: () => either(rowSchema(PODS), outcomesSchema()),
  waits: true,
  exits: [EXIT.jobFailed],
  examples: [['berth pods wait lab --for EXITED --wait-timeout 1h', 'until it has stopped']],
  run: async (ctx, { for: wanted = REACHABLE, waitTimeout, ...selection }) => {
    const chosen = await choose(ctx, PODS, selection);
    if (chosen.targets.length === 0) return report(ctx, PODS, chosen, [], wanted);
    const named = chosen.targets.map(({ word }) => ({ id: word }));
    return waitResult(
      ctx,
      await waitFor(ctx, named, wanted, waitTimeout, !chosen.isSelected),
      chosen.isSelected,
      wanted,
    );
  },
});
