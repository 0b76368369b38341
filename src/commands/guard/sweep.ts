/** One look of a guard: reads all pods, decides, acts, and says what became of each decision. */
import { isDeepStrictEqual } from 'node:util';
import { type ApiRequest, rowRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, unlessFailed } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { type Json, type JsonObject, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { formatTimestamp } from '../../core/units.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { podAction, PODS } from '../../cli/resource/collections.ts';
import { listRows } from '../../cli/resource/pages.ts';
import { combinedFailure, errorOf } from '../../cli/resource/several.ts';
import { previewRow } from '../../cli/run/dry-run.ts';
import { deadlinesOf } from '../../guard/deadline.ts';
import {
  type ActingDecision,
  compilePolicy,
  type Decision,
  type Facts,
  isActing,
  type Policy,
} from '../../guard/decide.ts';
import { idOf } from '../../output/view.ts';

export interface Sweep {
  readonly pods: readonly Json[];
  readonly rows: readonly Json[];
  readonly isOver: boolean;
  readonly failure: Failure | undefined;
}

/** Does nothing on an incomplete list. A dry run makes the same decisions, each with its request. */
export async function sweep(ctx: CommandContext, policy: Policy): Promise<Sweep> {
  const decide = compilePolicy(policy);
  const { values: pods } = await listRows(ctx, PODS);
  const now = ctx.serviceNow();
  policy.watch?.look(pods, now);
  const spent = policy.budget === undefined ? undefined : await unlessFailed(ctx, () => spentThisMonth(ctx, now));
  const facts: Facts = { now, spent };
  const decisions = pods.flatMap((pod) => decide(pod, facts) ?? []);
  const done = new Map<Decision, Done>();
  for (const decision of ctx.dryRun ? [] : decisions.filter(isActing)) {
    // What was done before an interrupt is printed.
    if (ctx.signal.aborted) break;
    done.set(decision, await act(ctx, decision, (fresh) => decide(fresh, facts)?.action === decision.action));
  }
  if (!ctx.dryRun) await unlessFailed(ctx, () => ctx.guard.write({ sweptAt: now }));
  const rows = await Promise.all(
    decisions.map(async (decision) => {
      const row = rowOf(ctx, decision, done.get(decision), now);
      if (!ctx.dryRun || !isActing(decision)) return row;
      return { ...row, request: previewRow(await ctx.api.preview(actionRequest(decision))) };
    }),
  );
  const outcomes = decisions.map((decision) => ({ id: idOf(decision.pod), failure: done.get(decision)?.failure }));
  const interrupt: unknown = ctx.signal.aborted ? ctx.signal.reason : undefined;
  return {
    pods,
    rows,
    isOver: decisions.some(({ verdict }) => verdict === 'over'),
    failure: interrupt instanceof Failure ? interrupt : combinedFailure(outcomes),
  };
}

/** US dollars, of the month in UTC. Undefined where an amount is missing. */
async function spentThisMonth(ctx: CommandContext, now: EpochMs): Promise<number | undefined> {
  const { monthStart, readRecords, SUMMARY } = await import('../billing/costs.ts');
  const records = await readRecords(ctx, SUMMARY, monthStart(now), now);
  const sum = records.reduce<number>((total, record) => total + (numberAt(record, 'totalAmount') ?? NaN), 0);
  return Number.isNaN(sum) ? undefined : sum;
}

function rowOf(ctx: CommandContext, decision: Decision, done: Done | undefined, now: EpochMs): JsonObject {
  const { pod, rule, verdict, action, why, held } = decision;
  return {
    at: formatTimestamp(now),
    id: idOf(pod),
    name: stringAt(pod, 'name'),
    status: stringAt(pod, 'status'),
    startedAt: stringAt(pod, 'startedAt'),
    rule,
    verdict,
    action,
    why,
    held,
    result: done?.result,
    error: done?.failure && errorOf(done.failure, ctx.settings),
  };
}

export const RESULTS = ['stopped', 'terminated', 'ended before', 'changed', 'failed'] as const;

interface Done {
  readonly result: (typeof RESULTS)[number];
  readonly failure?: Failure;
}

/** Contract rules, Pods: actions, DELETE. */
function actionRequest({ action, pod }: ActingDecision): ApiRequest {
  const id = asId<'pod'>(idOf(pod));
  if (action === 'stop') return podAction(id, 'stop');
  return { service: 'base', method: 'DELETE', path: [...PODS.path, id], id, checkCommand: berth`pods list` };
}

/** Must be as when it was decided. A change of variables restarts a pod. */
const factsOf = (pod: Json): readonly unknown[] => [
  ...['status', 'startedAt', 'locked', 'cluster'].map((member) => memberAt(pod, member) ?? null),
  deadlinesOf(pod),
];

/** Reads the pod again right before, and after a lost answer (8) or refusal (409). A failure belongs to its pod. */
async function act(ctx: CommandContext, decision: ActingDecision, isStillOver: (pod: Json) => boolean): Promise<Done> {
  const { pod, action } = decision;
  const ended = action === 'stop' ? ['EXITED', 'TERMINATED'] : ['TERMINATED'];
  const isDone = (fresh: Json | undefined): boolean =>
    fresh === undefined || ended.includes(stringAt(fresh, 'status') ?? '');
  const result = action === 'stop' ? 'stopped' : 'terminated';
  try {
    const fresh = await readAgain(ctx, pod);
    if (fresh === undefined || !isDeepStrictEqual(factsOf(pod), factsOf(fresh)) || !isStillOver(fresh))
      return { result: isDone(fresh) ? 'ended before' : 'changed' };
    await ctx.api.send(actionRequest(decision));
    return { result };
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    if (failure.exit === EXIT.notFound) return { result: 'ended before' };
    const mayBeDone = !ctx.signal.aborted && (failure.exit === EXIT.unknown || failure.status === 409);
    const isIt = mayBeDone && (await unlessFailed(ctx, async () => isDone(await readAgain(ctx, pod)))) === true;
    if (!isIt) return { result: 'failed', failure };
    return { result: failure.exit === EXIT.unknown ? result : 'ended before' };
  }
}

async function readAgain(ctx: CommandContext, pod: Json): Promise<Json | undefined> {
  try {
    return (await ctx.api.send(rowRequest(PODS, asId(idOf(pod))))).value ?? null;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
