import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isInterrupt } from '../../core/failure.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { listRows } from '../../cli/resource/requests.ts';
import type { Json } from '../../core/json.ts';
import { idOf } from '../../output/view.ts';
import { createAccount } from '../plan/account.ts';
import { KINDS, type KindName } from '../plan/kinds.ts';
import { applyItem, labelOf, removeRow } from './apply-item.ts';
import { withoutDouble } from './create-once.ts';
import { type Done, failedOutcome, type Outcome } from './outcome.ts';
import { isWaitedFor, notWaitedFor, waitUntilReady } from './wait.ts';
import type { Plan, Planned } from '../plan/planned.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** Concurrent writes of one kind. */
const AT_ONCE = 4;

export interface ApplyOptions {
  readonly keepGoing: boolean;
  /** Undefined: does not wait. */
  readonly waitMs: Milliseconds | undefined;
}

/** What was not done has an outcome too. */
export async function applyAll(
  ctx: CommandContext,
  plan: Plan,
  { keepGoing, waitMs }: ApplyOptions,
): Promise<readonly Outcome[]> {
  const outcomes = new Map<Planned, Outcome>();
  const made = new Map<string, string>();
  const untilMs = waitMs === undefined ? undefined : ctx.clock.monotonic() + waitMs;
  let stopped: Failure | undefined;
  const doAll = async (all: readonly Planned[], act: (planned: Planned) => Promise<Done>): Promise<void> => {
    const waiting = [...all];
    const doNext = async (): Promise<void> => {
      for (let planned = waiting.shift(); planned !== undefined; planned = waiting.shift()) {
        const next = planned;
        const outcome = await outcomeOf(ctx, next, stopped, () => act(next));
        outcomes.set(next, outcome);
        if (outcome.done !== undefined) made.set(labelOf(next), idOf(outcome.done.row));
        if (outcome.failure !== undefined && (!keepGoing || ctx.signal.aborted)) stopped ??= outcome.failure;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, doNext));
  };
  const ofKind = (name: KindName, isRemoval: boolean): readonly Planned[] =>
    plan.planned.filter(
      ({ document, item }) => document.kind.name === name && (item.action === 'delete') === isRemoval,
    );
  const checkDoubles = async (all: readonly Planned[]): Promise<void> => {
    let rows: Promise<readonly Json[]> | undefined;
    for (const planned of all) {
      const { done, failure } = outcomes.get(planned) ?? {};
      if (done?.action !== 'create' || failure !== undefined || ctx.signal.aborted) continue;
      const { kind } = planned.document;
      const outcome = await attempt(ctx, planned, async () =>
        withoutDouble(ctx, planned.document, done, {
          list: () => (rows ??= listRows(ctx, kind.collection).then(({ values }) => values)),
          remove: async (row) => await removeRow(ctx, kind, row, true),
        }),
      );
      outcomes.set(planned, outcome);
      if (outcome.done !== undefined) made.set(labelOf(planned), idOf(outcome.done.row));
      if (outcome.failure !== undefined && !keepGoing) stopped ??= outcome.failure;
    }
  };
  // What others refer to comes first; things of one kind do not refer to each other.
  for (const name of KINDS) {
    const account = createAccount(ctx, plan.documents, made);
    await doAll(ofKind(name, false), (planned) => applyItem(ctx, account, planned));
    await checkDoubles(ofKind(name, false));
  }
  if (untilMs !== undefined)
    for (const [planned, { done, failure }] of outcomes) {
      const { kind } = planned.document;
      if (failure !== undefined || done === undefined || !isWaitedFor(kind, done)) continue;
      // Already made, waited for or not; nothing is removed if something is not ready.
      const before = interruptOf(ctx) ?? stopped;
      const waited =
        before === undefined
          ? await attempt(ctx, planned, async () => await waitUntilReady(ctx, kind, done, untilMs))
          : { planned, done, failure: notWaitedFor(done.row, before) };
      outcomes.set(planned, waited);
      if (waited.failure !== undefined && !keepGoing) stopped ??= waited.failure;
    }
  // Nothing is removed after a failure, `keepGoing` or not; that a removal is blocked is none.
  for (const [planned, { failure }] of outcomes) if (!plan.pruning?.removed.includes(planned)) stopped ??= failure;
  for (const name of KINDS.toReversed())
    await doAll(ofKind(name, true), async ({ document, row = null }) => ({
      action: (await removeRow(ctx, document.kind, row)) ? 'delete' : 'none',
      row,
    }));
  return plan.planned.flatMap((planned) => outcomes.get(planned) ?? []);
}

/** After an interrupt nothing more is sent. */
const interruptOf = ({ signal }: CommandContext): Failure | undefined =>
  signal.reason instanceof Failure ? signal.reason : undefined;

async function outcomeOf(
  ctx: CommandContext,
  planned: Planned,
  failedBefore: Failure | undefined,
  act: () => Promise<Done>,
): Promise<Outcome> {
  const { item, row } = planned;
  const stopped = interruptOf(ctx) ?? failedBefore;
  if (item.action === 'none') return { planned, done: { action: 'none', row: row ?? null } };
  if (stopped !== undefined) return { planned, failure: notSent(stopped) };
  if (item.action === 'blocked')
    return { planned, failure: new Failure({ code: 'refused', exit: EXIT.refused, message: item.why ?? '' }) };
  return await attempt(ctx, planned, act);
}

async function attempt(ctx: CommandContext, planned: Planned, act: () => Promise<Done>): Promise<Outcome> {
  try {
    return { planned, done: await act() };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return failedOutcome(ctx, planned, error);
  }
}

const notSent = (before: Failure): Failure =>
  new Failure({
    code: 'not-sent',
    exit: before.exit,
    message: `not done: ${isInterrupt(before) ? 'it was interrupted before' : 'something before it failed'}`,
  });
