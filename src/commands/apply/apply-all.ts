/** Does a plan: what others refer to first, removals last, and none of them after a failure. */
import { readRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isInterrupt } from '../../core/failure.ts';
import { type Json, stringAt } from '../../core/json.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { combinedFailure } from '../../cli/resource/several.ts';
import { DryRun } from '../../cli/run/dry-run.ts';
import { type End, type Goal, until } from '../../cli/until.ts';
import { idOf } from '../../output/view.ts';
import { ROLLED_OUT } from '../endpoints/releases.ts';
import { KINDS, type KindName } from '../plan/kinds.ts';
import type { Plan, Planned } from '../plan/make-plan.ts';
import { REACHABLE } from '../pods/reachable.ts';
import { goalOf } from '../pods/wait.ts';

import { create, labelOf, listWith, remove, update, withoutDouble } from './write.ts';

export interface Outcome {
  readonly planned: Planned;
  readonly action: 'none' | 'create' | 'update' | 'delete';
  /** What is there now; undefined where nothing was done. With a failure beside it: made, and not ready. */
  readonly row?: Json;
  /** Of a create: its answer came, so this run made it. */
  readonly isAnswered?: boolean;
  readonly failure?: Failure | undefined;
}

/** Concurrent writes of one kind. */
const AT_ONCE = 4;

/** What was not done has an outcome too. `waitMs`: undefined does not wait. */
export async function applyAll(
  ctx: CommandContext,
  plan: Plan,
  waitMs: Milliseconds | undefined,
): Promise<readonly Outcome[]> {
  const outcomes = new Map<Planned, Outcome>();
  const made = new Map<string, string>();
  let stopped: Failure | undefined;
  let recorded: DryRun | undefined;

  const settle = (outcome: Outcome): void => {
    const { planned, row, failure } = outcome;
    outcomes.set(planned, outcome);
    if (row !== undefined) made.set(labelOf(planned), idOf(row));
    stopped ??= failure;
  };
  /** `before`: what is reported beside a failure. */
  const attempt = async (before: Outcome, act: () => Promise<Omit<Outcome, 'planned'>>): Promise<void> => {
    try {
      settle({ planned: before.planned, ...(await act()) });
    } catch (error) {
      if (error instanceof DryRun) recorded = error;
      else if (error instanceof Failure) settle({ ...before, failure: error });
      else throw error;
    }
  };
  const doNext = async (waiting: Planned[]): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const planned = next;
      const { item, row = null, document } = planned;
      const before: unknown = ctx.signal.reason instanceof Failure ? ctx.signal.reason : stopped;
      if (item.action === 'none') settle({ planned, action: 'none', row });
      else if (before instanceof Failure) settle({ planned, action: 'none', failure: notSent(before) });
      else
        await attempt({ planned, action: 'none' }, () =>
          withUnknown(ctx, async () => {
            if (item.action === 'create') return { action: 'create', ...(await create(ctx, planned, made)) };
            if (item.action === 'update') return { action: 'update', row: await update(ctx, planned, made) };
            return { action: (await remove(ctx, document.kind, row)) ? 'delete' : 'none', row };
          }),
        );
    }
  };
  const doAll = async (name: KindName, isRemoval: boolean): Promise<void> => {
    const waiting = plan.planned.filter(
      ({ document, item }) => document.kind.name === name && (item.action === 'delete') === isRemoval,
    );
    await Promise.all(Array.from({ length: AT_ONCE }, () => doNext(waiting)));
  };
  const checkDoubles = async (name: KindName): Promise<void> => {
    const created = [...outcomes.values()].filter(
      ({ planned, action, row, failure }) =>
        planned.document.kind.name === name && action === 'create' && row !== undefined && failure === undefined,
    );
    if (created.length === 0 || ctx.signal.aborted) return;
    const list = listWith(
      ctx,
      name,
      created.map(({ row = null }) => row),
    );
    for (const outcome of created)
      await attempt(outcome, async () => {
        const { planned, row = null, isAnswered = false } = outcome;
        const stays = await withoutDouble(ctx, planned.document, { row, isAnswered }, await list);
        return { action: stays === row ? 'create' : 'none', row: stays, isAnswered };
      });
  };

  for (const name of KINDS) {
    await doAll(name, false);
    await checkDoubles(name);
  }
  if (waitMs !== undefined && stopped === undefined && recorded === undefined)
    for (const outcome of await waitUntilReady(ctx, [...outcomes.values()], waitMs)) settle(outcome);
  for (const name of KINDS.toReversed()) await doAll(name, true);
  if (recorded !== undefined) {
    const ended = [...outcomes].map(([planned, { failure }]) => ({ id: labelOf(planned), failure }));
    throw new DryRun(recorded.previews, combinedFailure(ended, plan.planned.length));
  }
  return plan.planned.flatMap((planned) => outcomes.get(planned) ?? []);
}

/** After a failure, or an interrupt, what comes later is not sent. */
const notSent = (before: Failure): Failure =>
  new Failure({
    code: 'not-sent',
    exit: before.exit,
    message: isInterrupt(before) ? 'not done: interrupted before' : 'not done: something before it failed',
  });

/** Sent without an answer, or interrupted before the answer: the write may have been done. */
async function withUnknown<T>({ signal }: CommandContext, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const isUnknown =
      error instanceof Failure && (error.exit === EXIT.unknown || (signal.aborted && error !== signal.reason));
    throw isUnknown ? error.with({ code: 'outcome-unknown' }) : error;
  }
}

const { resume: _, ...rolledOut } = ROLLED_OUT;

/** Only these kinds need time. `path`: below the row. */
const READY: readonly (readonly [kind: KindName, goal: Goal, path: readonly string[]])[] = [
  ['pod', goalOf(REACHABLE), []],
  // Last, without a command that goes on.
  ['endpoint', rolledOut, ['releases']],
];

/** Adds a failure to what is not ready: 9 after the time, 10 if it cannot become ready. What was unchanged is waited for too. */
async function waitUntilReady(
  ctx: CommandContext,
  outcomes: readonly Outcome[],
  timeoutMs: Milliseconds,
): Promise<readonly Outcome[]> {
  const endsAt = ctx.clock.monotonic() + timeoutMs;
  const ended: Outcome[] = [];
  for (const [name, goal, path] of READY) {
    const waiting = outcomes.filter(
      ({ planned, row, failure }) =>
        planned.document.kind.name === name &&
        failure === undefined &&
        row !== undefined &&
        stringAt(row, 'status') !== 'EXITED',
    );
    const things = waiting.map(({ planned: { document }, row = null }) => {
      const id = idOf(row);
      const request = readRequest([...document.kind.collection.path, id, ...path], { id });
      return { id, read: () => ctx.api.send(request) };
    });
    const leftMs = Math.max(0, endsAt - ctx.clock.monotonic());
    // An interrupted wait: what was made is reported all the same.
    const ends = await until(ctx, things, goal, leftMs).catch((error: unknown): readonly End[] => {
      if (!(error instanceof Failure)) throw error;
      return things.map(({ id }) => ({ id, failure: error }));
    });
    for (const [at, outcome] of waiting.entries()) {
      const { answer, failure } = ends[at] ?? {};
      const row = (path.length === 0 ? answer?.value : undefined) ?? outcome.row ?? null;
      ended.push({ ...outcome, row, failure });
    }
  }
  return ended;
}
