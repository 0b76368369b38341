/** One sweep of a guard: it reads, decides, acts, and remembers. */
import { Failure, messageOf } from '../../core/failure.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Json } from '../../core/json.ts';
import { asId } from '../../core/ids.ts';
import type { Api } from '../../core/api.ts';
import { listRequest, rememberNames } from '../../cli/resource/identity/requests.ts';
import { readList } from '../../cli/resource/pages/read-list.ts';
import { isLocalService } from '../shared/is-local-service.ts';
import { combinedFailure } from '../../cli/resource/several/combined-failure.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { idOf } from '../../output/view.ts';
import type { World } from '../../guard/conditions.ts';
import { decide, isAction, type Decision } from '../../guard/decide.ts';
import { heldByClocks, limitActions } from '../../guard/hold-back.ts';
import type { GuardAction, Policy } from '../../guard/rules.ts';
import { withSamples } from '../../guard/samples.ts';
import { PODS } from '../shared/collections.ts';
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
  const world: World = { now, samples, ...(await readAmounts(ctx, policy, now)) };
  const decided = decide(policy, pods, world, memory.snoozes);
  const all = isLocal ? decided : heldByClocks(decided, memory.driftMs, driftMs);
  const { decisions, refused } =
    acts && !ctx.dryRun && !ctx.yes ? limitActions(all, pods, policy) : { decisions: all, refused: undefined };
  const wanted = decisions.filter(isAction);
  if (acts && ctx.dryRun && wanted.length > 0)
    return await ctx.previewAll(wanted.map(({ action, pod }) => actionRequest(action, asId(idOf(pod)))));
  const done = new Map<Decision, Done>();
  /** Whether a pod that was read again is still to be ended so, also by what it uses now. */
  const isStillOver = (pod: Json, action: GuardAction): boolean =>
    decide(policy, [pod], { ...world, samples: withSamples(samples, [pod], now) }, memory.snoozes).some(
      (again) => again.action === action,
    );
  if (acts && !ctx.dryRun)
    for (const decision of wanted) {
      // What was done before an interrupt is kept and printed.
      if (ctx.signal.aborted) break;
      done.set(decision, await act(ctx, decision, (pod) => isStillOver(pod, decision.action)));
    }
  const rows = decisions.map((decision) => decisionRow(ctx, decision, done.get(decision), now));
  await remember(ctx, { pods, now, driftMs, ...(acts && !ctx.dryRun ? { sweptAt: now } : {}) }, rows);
  return {
    rows,
    pods: pods.length,
    isOver: decisions.some(({ verdict }) => verdict === 'over'),
    failure:
      interruptOf(ctx) ??
      combinedFailure(
        decisions.map((decision) => ({ id: idOf(decision.pod), failure: done.get(decision)?.failure })),
      ) ??
      refused,
  };
}

const interruptOf = ({ signal }: CommandContext): Failure | undefined =>
  signal.aborted && signal.reason instanceof Failure ? signal.reason : undefined;

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

/** The sums of the account that a rule asks for. */
async function readAmounts(ctx: CommandContext, { rules }: Policy, now: number) {
  const kinds = rules.map(({ when }) => when.kind);
  if (!kinds.includes('account-per-hour') && !kinds.includes('account-month'))
    return { perHour: undefined, month: undefined };
  return await (await import('./read-account.ts')).readAccount(ctx, kinds, now);
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
