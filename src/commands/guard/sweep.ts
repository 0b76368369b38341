/** One sweep of a guard: it reads, decides, acts, and remembers. */
import { messageOf, unlessFailed, usage, type Failure } from '../../core/failure.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { numberAt, stringAt, type Json } from '../../core/json.ts';
import { formatTimestamp } from '../../core/text/timestamp.ts';
import { asId } from '../../core/ids.ts';
import type { Api } from '../../core/api.ts';
import { formatDuration } from '../../core/units.ts';
import { listRequest, listRows, rememberNames } from '../../cli/resource/identity/requests.ts';
import { readList } from '../../cli/resource/pages/read-list.ts';
import { isLocalService } from '../shared/is-local-service.ts';
import { combinedFailure } from '../../cli/resource/several/combined-failure.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { countOf } from '../../cli/words/words.ts';
import { idOf } from '../../output/view.ts';
import type { AccountAmount, World } from '../../guard/conditions.ts';
import { CAN_STOP, decide, type Decision } from '../../guard/decide.ts';
import { DEADLINE_RULE } from '../../guard/policy.ts';
import type { Condition, Policy } from '../../guard/rules.ts';
import { withSamples } from '../../guard/samples.ts';
import { SUMMARY } from '../billing/report/service-reports.ts';
import { monthStart } from '../billing/report/forecast.ts';
import { PODS } from '../shared/collections.ts';
import { readRate } from '../shared/rate/read-rate.ts';
import { act, actionRequest, type Done } from './act.ts';
import { changeMemory, isNews, readMemory, type Memory } from './memory.ts';
import { decisionRow } from './view.ts';

/** What a sweep found and did. */
export interface Sweep {
  /** The decisions as rows, in the order of the list. */
  readonly rows: readonly Json[];
  /** The number of pods that were looked at. */
  readonly pods: number;
  /** Whether a rule applied to any pod. */
  readonly isOver: boolean;
  /** The failures of actions, as one. */
  readonly failure: Failure | undefined;
}

export interface SweepOptions {
  readonly policy: Policy;
  /** Whether it acts, or only reports. */
  readonly acts: boolean;
}

/**
 * Looks at all pods once. Fails as the reading of the list does, which must be whole: nothing is done then. Fails with
 * usage (2), before anything is sent, where too many pods would be ended without `--yes`; in a dry run all are shown.
 */
export async function sweep(ctx: CommandContext, { policy, acts }: SweepOptions): Promise<Sweep> {
  const { pods, isLocal } = await readPods(ctx);
  const now = ctx.serviceNow();
  // eslint-disable-next-line no-restricted-syntax -- a date, to compare with the service's
  const driftMs = now - ctx.clock.now();
  const memory = await readMemory(ctx);
  const samples = withSamples(memory.samples, pods, now);
  const world: World = { now, samples, ...(await readAccount(ctx, policy, now)) };
  const decided = decide(policy, pods, world, memory.snoozes);
  const all = isLocal ? decided : doubted(decided, memory, driftMs);
  const { decisions, refused } =
    acts && !ctx.dryRun ? limited(ctx, all, pods, policy) : { decisions: all, refused: undefined };
  const wanted = decisions.filter(isAction);
  if (acts && ctx.dryRun && wanted.length > 0)
    return await ctx.previewAll(wanted.map(({ action, pod }) => actionRequest(action, asId(idOf(pod)))));
  const done = new Map<Decision, Done>();
  if (acts && !ctx.dryRun)
    for (const decision of wanted)
      done.set(
        decision,
        await act(ctx, decision, (fresh) =>
          decide(policy, [fresh], { ...world, now: ctx.serviceNow() }, memory.snoozes).some(
            (again) => again.action === decision.action,
          ),
        ),
      );
  const rows = decisions.map((decision) => decisionRow(ctx, decision, done.get(decision), now));
  await remember(ctx, { pods, now, driftMs, ...(acts && !ctx.dryRun ? { sweptAt: now } : {}) }, rows);
  return {
    rows,
    pods: pods.length,
    isOver: decisions.some(({ verdict }) => verdict === 'over'),
    failure:
      combinedFailure(
        decisions.map((decision) => ({ id: idOf(decision.pod), failure: done.get(decision)?.failure })),
      ) ?? refused,
  };
}

const isAction = (decision: Decision): decision is Decision & { readonly action: 'stop' | 'terminate' } =>
  decision.action !== 'report';

/** The whole list, and whether it is that of the local service, whose clock is moved on purpose. */
async function readPods(ctx: CommandContext): Promise<{ readonly pods: readonly Json[]; readonly isLocal: boolean }> {
  let isLocal = false;
  const send: Api['send'] = async (request) => {
    const answer = await ctx.api.send(request);
    isLocal = isLocalService(answer);
    return answer;
  };
  const { values: pods } = await readList({ send }, listRequest(PODS));
  await rememberNames(ctx, PODS, pods);
  return { pods, isLocal };
}

/** How much the difference of the two clocks may change between two sweeps, and be in the first one. Milliseconds. */
const MAX_JUMP_MS = 300_000;
const MAX_DRIFT_MS = 3_600_000;

/**
 * Where the service's clock and that of this machine have moved apart, one of them is wrong: nothing is done in this sweep.
 * `driftMs` is how much the service's clock is ahead.
 */
function doubted(decisions: readonly Decision[], memory: Memory, driftMs: number): readonly Decision[] {
  const movedMs = driftMs - (memory.driftMs ?? 0);
  if (Math.abs(movedMs) <= (memory.driftMs === undefined ? MAX_DRIFT_MS : MAX_JUMP_MS)) return decisions;
  const held = `the clocks of the service and of this machine ${memory.driftMs === undefined ? 'are' : 'moved'} ${formatDuration(Math.abs(movedMs))} apart`;
  return decisions.map((decision) => (isAction(decision) ? { ...decision, action: 'report', held } : decision));
}

/** Of the account only what a rule asks for is read; what cannot be read is not known. */
async function readAccount(ctx: CommandContext, { rules }: Policy, now: number) {
  const asks = (kind: Condition['kind']): boolean => rules.some(({ when }) => when.kind === kind);
  const perHour = async (): Promise<AccountAmount> => {
    const { total, unknown } = await readRate(ctx);
    return { dollars: total, atLeast: unknown.length > 0 };
  };
  const month = async (): Promise<AccountAmount> => {
    const query = { startTime: formatTimestamp(monthStart(now)), endTime: formatTimestamp(now), bucketSize: 'day' };
    const { values } = await listRows(ctx, { path: SUMMARY.path, member: 'records' }, query);
    const amounts = values.map((record) => numberAt(record, 'totalAmount'));
    return {
      dollars: amounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0),
      atLeast: amounts.includes(undefined),
    };
  };
  return {
    perHour: asks('account-per-hour') ? await unlessFailed(ctx, perHour) : undefined,
    month: asks('account-month') ? await unlessFailed(ctx, month) : undefined,
  };
}

/**
 * A policy that is wrong must not end a fleet. Without `--yes`, what rules would end is held where that is too much; pods
 * whose own deadline is over are ended all the same, and are not counted for the half of those that run. One pod is never
 * too many. Fails with usage (2) where nothing is left to be done.
 */
function limited(
  { yes }: CommandContext,
  decisions: readonly Decision[],
  pods: readonly Json[],
  { maxActions }: Policy,
): { readonly decisions: readonly Decision[]; readonly refused: Failure | undefined } {
  const wanted = decisions.filter(isAction);
  const byRules = wanted.filter(({ rule }) => rule !== DEADLINE_RULE);
  const running = pods.filter((pod) => CAN_STOP.includes(stringAt(pod, 'status') ?? '')).length;
  const isHalf = byRules.length > 1 && byRules.length > running / 2;
  if (yes || (wanted.length <= maxActions && !isHalf)) return { decisions, refused: undefined };
  const deadlines = wanted.length - byRules.length;
  const isAll = deadlines === 0 || deadlines > maxActions;
  const why = isHalf ? `more than half of the ${running} that run or start` : `more than --max-actions ${maxActions}`;
  const refused = usage(
    `${countOf(isAll ? wanted.length : byRules.length, 'pod')} would be ended at once, ${why}: ${isAll ? 'nothing was done' : 'only deadlines were kept'}`,
    'Look at them with the same flags of guard check; --yes does it all the same.',
  );
  if (isAll) throw refused;
  const hold = (decision: Decision): Decision =>
    isAction(decision) && decision.rule !== DEADLINE_RULE
      ? { ...decision, action: 'report', held: `too many at once: ${why}` }
      : decision;
  return { decisions: decisions.map(hold), refused };
}

/** Keeps the samples and what is new. Where that fails, idle rules know less, and everything else goes on. */
async function remember(
  ctx: CommandContext,
  {
    pods,
    now,
    ...clocks
  }: { readonly pods: readonly Json[]; readonly now: number } & Pick<Partial<Memory>, 'driftMs' | 'sweptAt'>,
  rows: readonly Json[],
): Promise<void> {
  try {
    await changeMemory(ctx, ({ samples, history }) => ({
      samples: withSamples(samples, pods, now),
      ...clocks,
      history: [...history, ...rows.filter((row) => isNews(row, history))],
    }));
  } catch (error) {
    await ctx.tell(`What was seen cannot be kept for the next sweep: ${messageOf(error)}`);
  }
}

/** What a one-time sweep ends with: 15 where a rule applied. */
export const exitOf = ({ dryRun }: CommandContext, { isOver }: Sweep) =>
  isOver && !dryRun ? EXIT.limitExceeded : EXIT.done;
