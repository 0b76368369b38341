/** Does a plan: what others refer to first, removals last, and none of them after a failure. */
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { combinedFailure } from '../../cli/resource/several.ts';
import { DryRun } from '../../cli/run/dry-run.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { idOf } from '../../output/view.ts';
import { KINDS, type KindName } from '../plan/kinds.ts';
import type { Plan, Planned } from '../plan/planned.ts';
import { listWith, withoutDouble } from './create-once.ts';
import { notSent, type Outcome, withUnknown } from './outcome.ts';
import { waitUntilReady } from './wait.ts';
import { create, labelOf, remove, update } from './write.ts';

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
  let stopped: Failure | undefined;
  let recorded: DryRun | undefined;

  const settle = (planned: Planned, outcome: Outcome): void => {
    outcomes.set(planned, outcome);
    if (outcome.row !== undefined) made.set(labelOf(planned), idOf(outcome.row));
    if (outcome.failure !== undefined && (!keepGoing || ctx.signal.aborted)) stopped ??= outcome.failure;
  };
  const attempt = async (planned: Planned, act: () => Promise<Omit<Outcome, 'planned'>>): Promise<void> => {
    try {
      settle(planned, { planned, ...(await act()) });
    } catch (error) {
      if (error instanceof DryRun) recorded = error;
      else if (error instanceof Failure) settle(planned, { planned, action: 'none', failure: withUnknown(ctx, error) });
      else throw error;
    }
  };
  const doAll = async (all: readonly Planned[]): Promise<void> => {
    const waiting = [...all];
    const doNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const planned = next;
        const { item, row = null, document } = planned;
        const before = interruptOf(ctx) ?? stopped;
        if (item.action === 'none') settle(planned, { planned, action: 'none', row });
        else if (before !== undefined) settle(planned, { planned, action: 'none', failure: notSent(before) });
        else
          await attempt(planned, async () => {
            if (item.action === 'blocked') throw blocked(item.why);
            if (item.action === 'create') return { action: 'create', ...(await create(ctx, planned, made)) };
            if (item.action === 'update') return { action: 'update', row: await update(ctx, planned, made) };
            return { action: (await remove(ctx, document.kind, row)) ? 'delete' : 'none', row };
          });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, doNext));
  };
  const ofKind = (name: KindName, isRemoval: boolean): readonly Planned[] =>
    plan.planned.filter(
      ({ document, item }) => document.kind.name === name && (item.action === 'delete') === isRemoval,
    );
  const checkDoubles = async (all: readonly Planned[]): Promise<void> => {
    const created = all.filter((planned) => {
      const { action, row, failure } = outcomes.get(planned) ?? {};
      return action === 'create' && row !== undefined && failure === undefined;
    });
    const [first] = created;
    if (first === undefined || ctx.signal.aborted) return;
    const list = listWith(
      ctx,
      first.document.kind,
      created.flatMap((planned) => outcomes.get(planned)?.row ?? []),
    );
    for (const planned of created) {
      const { row = null, isAnswered = false } = outcomes.get(planned) ?? {};
      await attempt(planned, async () => {
        const own = { row, isAnswered };
        try {
          const stays = await withoutDouble(ctx, planned.document, own, await list, (younger) =>
            remove(ctx, planned.document.kind, younger, true),
          );
          return { action: stays === row ? 'create' : 'none', row: stays, isAnswered };
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          return { action: 'create', row, isAnswered, failure: error };
        }
      });
    }
  };

  for (const name of KINDS) {
    await doAll(ofKind(name, false));
    await checkDoubles(ofKind(name, false));
  }
  if (waitMs !== undefined && stopped === undefined && recorded === undefined)
    for (const outcome of await waitUntilReady(ctx, [...outcomes.values()], waitMs)) settle(outcome.planned, outcome);
  // Nothing is removed after a failure, also with --keep-going; that a removal is blocked is none.
  for (const [planned, { failure }] of outcomes) if (!plan.pruning?.removed.includes(planned)) stopped ??= failure;
  for (const name of KINDS.toReversed()) await doAll(ofKind(name, true));
  if (recorded !== undefined) {
    const ended = [...outcomes].map(([planned, { failure }]) => ({ id: labelOf(planned), failure }));
    throw new DryRun(recorded.previews, combinedFailure(ended, plan.planned.length));
  }
  return plan.planned.flatMap((planned) => outcomes.get(planned) ?? []);
}

const interruptOf = ({ signal }: CommandContext): Failure | undefined =>
  signal.reason instanceof Failure ? signal.reason : undefined;

const blocked = (why = ''): Failure => new Failure({ code: 'refused', exit: EXIT.refused, message: why });
