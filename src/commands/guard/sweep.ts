import { Failure, unlessFailed } from '../../core/failure.ts';
import { type Json, numberAt } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { listRows } from '../../cli/resource/requests.ts';
import { combinedFailure } from '../../cli/resource/several.ts';
import { previewRow } from '../../cli/run/dry-run.ts';
import { idOf } from '../../output/view.ts';
import { compilePolicy, isActing, type Decision, type Facts, type Policy } from '../../guard/decide.ts';
import type { IdleWatch } from '../../guard/idle.ts';
import { PODS } from '../../cli/resource/collections.ts';
import { act, actionRequest, type Done } from './act.ts';
import { decisionRow } from './decision-view.ts';
import { keepLastRun } from './last-run.ts';

export interface Sweep {
  readonly pods: readonly Json[];
  readonly rows: readonly Json[];
  readonly isOver: boolean;
  readonly failure: Failure | undefined;
}

/** Does nothing on an incomplete list. A dry run makes the same decisions, each with its request. */
export async function sweep(ctx: CommandContext, policy: Policy, watch: IdleWatch | undefined): Promise<Sweep> {
  const decide = compilePolicy(policy);
  const { values: pods } = await listRows(ctx, PODS);
  const now = ctx.serviceNow();
  watch?.look(pods, now);
  const month = policy.budget === undefined ? undefined : await unlessFailed(ctx, () => readMonth(ctx, now));
  const facts: Facts = { now, watch, month };
  const decisions = pods.flatMap((pod) => decide(pod, facts) ?? []);
  const done = new Map<Decision, Done>();
  for (const decision of ctx.dryRun ? [] : decisions.filter(isActing)) {
    // What was done before an interrupt is printed.
    if (ctx.signal.aborted) break;
    done.set(decision, await act(ctx, decision, (fresh) => decide(fresh, facts)?.action === decision.action));
  }
  if (!ctx.dryRun) await keepLastRun(ctx, now);
  const rows = await Promise.all(
    decisions.map(async (decision) => {
      const row = decisionRow(ctx, decision, done.get(decision), now);
      if (!ctx.dryRun || !isActing(decision)) return row;
      return { ...row, request: previewRow(await ctx.api.preview(actionRequest(decision))) };
    }),
  );
  const outcomes = decisions.map((decision) => ({ id: idOf(decision.pod), failure: done.get(decision)?.failure }));
  return {
    pods,
    rows,
    isOver: decisions.some(({ verdict }) => verdict === 'over'),
    failure: interruptOf(ctx) ?? combinedFailure(outcomes),
  };
}

const interruptOf = ({ signal }: CommandContext): Failure | undefined =>
  signal.aborted && signal.reason instanceof Failure ? signal.reason : undefined;

/** In UTC. */
async function readMonth(ctx: CommandContext, now: EpochMs): Promise<Facts['month']> {
  const { monthStart, readRecords, SUMMARY } = await import('../billing/costs.ts');
  const records = await readRecords(ctx, SUMMARY, monthStart(now), now);
  const amounts = records.map((record) => numberAt(record, 'totalAmount'));
  return {
    dollars: amounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0),
    isComplete: !amounts.includes(undefined),
  };
}
