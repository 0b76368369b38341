/** One sweep of a guard: it reads, decides, acts, and remembers. */
import { Failure, messageOf } from '../../../core/failure.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { encodeJson, type Json, parsePlainJson } from '../../../core/json.ts';
import type { Api } from '../../../core/api.ts';
import { listRequest, rememberNames } from '../../../cli/resource/identity/requests.ts';
import { readList } from '../../../cli/resource/pages/read-list.ts';
import { isLocalService } from '../../shared/is-local-service.ts';
import { combinedFailure } from '../../../cli/resource/several/combined-failure.ts';
import { previewRow } from '../../../cli/run/context/dry-run.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { idOf } from '../../../output/view.ts';
import type { World } from '../../../guard/decide/conditions.ts';
import {
  compilePolicy,
  isAction,
  type ActingDecision,
  type Decision,
  type Snoozes,
} from '../../../guard/decide/decide.ts';
import { heldByClocks, limitActions } from '../../../guard/decide/hold-back.ts';
import { withJobs } from '../../../guard/samples/job-samples.ts';
import { subjectsOf, type Policy, type Subject } from '../../../guard/policy/rules.ts';
import { withUse } from '../../../guard/samples/use-samples.ts';
import { PODS } from '../../shared/collections.ts';
import { act, actionRequest, type Done } from './act.ts';
import { changeMemory, newsOf, readMemory } from './memory.ts';
import type { Account } from './read-account.ts';
import { decisionRow } from './decision-view.ts';
import type { EpochMs, Milliseconds } from '../../../core/unit-types.ts';

/** What a sweep found and did. */
export interface Sweep {
  /** The decisions in the order of the lists. */
  readonly decisions: readonly Decision[];
  /** The same as rows. */
  readonly rows: readonly Json[];
  /** Those of them that no run of this machine said in the last day. */
  readonly news: readonly Json[];
  /** What was looked at. */
  readonly subjects: readonly Subject[];
  /** The service's time. */
  readonly now: Milliseconds;
  /** Whether a rule applied to anything. */
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
 * Looks at everything once that the policy is about. Fails as the reading of the list of pods does, which must be whole:
 * nothing is done then. Fails with usage (2), before anything is sent, where too many would be ended without `--yes`. A dry run
 * has the same decisions, each with its request.
 */
export async function sweep(ctx: CommandContext, { policy, acts }: SweepOptions): Promise<Sweep> {
  const { pods, isLocal } = await readPods(ctx);
  const now = ctx.serviceNow();
  // eslint-disable-next-line no-restricted-syntax -- a date, to compare with the service's
  const driftMs = now - ctx.clock.now();
  const memory = await readMemory(ctx);
  const account = await readMore(ctx, policy, pods, now);
  const subjects = [...pods.map((row): Subject => ({ kind: 'pod', row })), ...account.subjects];
  const endpoints = account.subjects.flatMap(({ kind, row }) => (kind === 'endpoint' ? [row] : []));
  const seen = (before: Pick<World, 'pods' | 'endpoints'>) => ({
    pods: withUse(before.pods, pods, now),
    ...(account.health === undefined
      ? { endpoints: before.endpoints }
      : { endpoints: withJobs(before.endpoints, endpoints, account.health, now) }),
  });
  const world: World = { ...account.facts, now, ...seen(memory) };
  const decide = compilePolicy(policy);
  const decided = decide(subjects, world, memory.snoozes);
  const all = isLocal ? decided : heldByClocks(decided, memory.driftMs, driftMs);
  const { decisions, refused } =
    acts && !ctx.yes ? limited(ctx, all, pods, policy) : { decisions: all, refused: undefined };
  const wanted = decisions.filter(isAction);
  const done = new Map<Decision, Done>();
  if (acts && !ctx.dryRun)
    for (const decision of wanted) {
      // What was done before an interrupt is kept and printed.
      if (ctx.signal.aborted) break;
      done.set(
        decision,
        await act(ctx, decision, (row) => isStillOver(ctx, decide, { ...decision, row }, world, memory.snoozes)),
      );
    }
  const rows = await Promise.all(
    decisions.map(async (decision) => {
      const row = decisionRow(ctx, decision, done.get(decision), now);
      if (!acts || !ctx.dryRun || !isAction(decision)) return row;
      return { ...row, request: previewRow(await ctx.api.preview(actionRequest(decision))) };
    }),
  );
  try {
    await changeMemory(ctx, (before) => ({
      ...seen(before),
      driftMs,
      // A check is no run of a guard.
      ...(acts && !ctx.dryRun
        ? {
            sweptAt: now,
            history: [...before.history, ...newsOf(rows, before.history, now).map(plainOf)],
          }
        : {}),
    }));
  } catch (error) {
    // Rules about idleness know less then, and everything else goes on.
    await ctx.tell(`What was seen cannot be kept for the next sweep: ${messageOf(error)}`);
  }
  return {
    decisions,
    rows,
    news: newsOf(rows, memory.history, now),
    subjects,
    now,
    isOver: decisions.some(({ verdict }) => verdict === 'over'),
    failure:
      interruptOf(ctx) ??
      combinedFailure(
        decisions.map((decision) => ({ id: idOf(decision.row), failure: done.get(decision)?.failure })),
      ) ??
      refused,
  };
}

/** What `limitActions` leaves; a dry run shows all beside its failure. */
function limited(
  { dryRun }: CommandContext,
  decisions: readonly Decision[],
  pods: readonly Json[],
  policy: Policy,
): ReturnType<typeof limitActions> {
  try {
    return limitActions(decisions, pods, policy);
  } catch (error) {
    if (!dryRun || !(error instanceof Failure)) throw error;
    return { decisions, refused: error };
  }
}

/** A row with plain numbers, as it is kept. */
const plainOf = (row: Json): Json => parsePlainJson(encodeJson(row));

const interruptOf = ({ signal }: CommandContext): Failure | undefined =>
  signal.aborted && signal.reason instanceof Failure ? signal.reason : undefined;

/** Whether a row that was read again is still to be ended so, also by how it is used now. */
async function isStillOver(
  ctx: CommandContext,
  decide: ReturnType<typeof compilePolicy>,
  { kind, row, action }: ActingDecision,
  world: World,
  snoozes: Snoozes,
): Promise<boolean> {
  const again: World =
    kind === 'endpoint'
      ? { ...world, endpoints: withJobs(world.endpoints, [row], await readHealthOf(ctx, row), world.now) }
      : { ...world, pods: withUse(world.pods, [row], world.now) };
  return decide([{ kind, row }], again, snoozes).some((decision) => decision.action === action);
}

const readHealthOf = async (ctx: CommandContext, endpoint: Json) =>
  await (await import('../../shared/rate/read-health.ts')).readHealth(ctx, [endpoint]);

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

const NOTHING: Account = { facts: {}, subjects: [], health: undefined };

/** What rules ask for beside the pods: most rules ask for nothing. */
async function readMore(ctx: CommandContext, policy: Policy, pods: readonly Json[], now: EpochMs): Promise<Account> {
  const asks = policy.rules.some(
    ({ when }) =>
      when.kind.startsWith('account') ||
      subjectsOf(when).some((kind) => kind !== 'pod') ||
      (when.kind === 'spent' && when.since === 'creation'),
  );
  return asks ? await (await import('./read-account.ts')).readAccount(ctx, policy, pods, now) : NOTHING;
}

/** What a one-time sweep ends with: 15 where a rule applied. */
export const exitOf = ({ isOver }: Sweep) => (isOver ? EXIT.limitExceeded : EXIT.done);
