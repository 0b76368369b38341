import type { Awaited, End, Goal } from '../../cli/until.ts';
import { until } from '../../cli/until.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { readRequest } from '../../core/api.ts';
import { Failure } from '../../core/failure.ts';
import { type Json, stringAt } from '../../core/json.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { idOf } from '../../output/view.ts';
import { ROLLED_OUT } from '../endpoints/releases.ts';
import type { KindName } from '../plan/kinds.ts';
import { REACHABLE } from '../pods/reachable.ts';
import { goalOf } from '../pods/wait.ts';
import type { Outcome } from './outcome.ts';

const { resume: _, ...rolledOut } = ROLLED_OUT;

/** Only these kinds need time. `path`: below the row. */
const READY: readonly (readonly [kind: KindName, goal: Goal, path: readonly string[]])[] = [
  ['pod', goalOf(REACHABLE), []],
  // Last, without a command that goes on: after an interrupt the hint says what was made.
  ['endpoint', rolledOut, ['releases']],
];

/** Not a stopped pod. Unchanged things too: an earlier apply may have ended before they were ready. */
const isWaitedFor = ({ planned, row, failure }: Outcome, name: KindName): boolean =>
  failure === undefined &&
  row !== undefined &&
  planned.document.kind.name === name &&
  stringAt(row, 'status') !== 'EXITED';

/** Adds a failure to what is not ready: 9 after the time, 10 if it cannot become ready. */
export async function waitUntilReady(
  ctx: CommandContext,
  outcomes: readonly Outcome[],
  timeoutMs: Milliseconds,
): Promise<readonly Outcome[]> {
  const endsAt = ctx.clock.monotonic() + timeoutMs;
  const ended = new Map<Outcome, Outcome>();
  for (const [name, goal, path] of READY) {
    const waiting = outcomes.filter((each) => isWaitedFor(each, name) && each.action !== 'delete');
    const things = waiting.map(({ planned: { document }, row = null }): Awaited => {
      const id = idOf(row);
      return {
        id,
        read: () => ctx.api.send(readRequest([...document.kind.collection.path, id, ...path], { id })),
      };
    });
    const leftMs = Math.max(0, endsAt - ctx.clock.monotonic());
    // An interrupted wait: what was made is reported all the same.
    const ends = await until(ctx, things, goal, leftMs).catch((error: unknown): readonly End[] => {
      if (!(error instanceof Failure)) throw error;
      return things.map(({ id }) => ({ id, failure: error }));
    });
    for (const [at, outcome] of waiting.entries()) {
      const { answer, failure } = ends[at] ?? {};
      const row: Json | undefined = path.length === 0 ? answer?.value : undefined;
      ended.set(outcome, { ...outcome, row: row ?? outcome.row ?? null, failure });
    }
  }
  return outcomes.map((each) => ended.get(each) ?? each);
}
