import type { Awaited, End, Goal } from '../../cli/until.ts';
import { until } from '../../cli/until.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { readRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { berth, sentence } from '../../core/message.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { idOf } from '../../output/view.ts';
import type { KindName } from '../plan/kinds.ts';
import { describeReach, isAt, REACHABLE } from '../pods/reachable.ts';
import type { Outcome } from './outcome.ts';

interface Ready extends Goal {
  /** Below the row. */
  readonly path: readonly string[];
}

/** Only these kinds need time. */
const READY: Readonly<Partial<Record<KindName, Ready>>> = {
  pod: {
    noun: 'pod',
    name: REACHABLE,
    path: [],
    done: (pod) => isAt(pod, REACHABLE),
    stuck: (pod) => {
      const status = stringAt(pod, 'status') ?? '';
      if (!['ERROR', 'EXITED', 'TERMINATED'].includes(status)) return undefined;
      const hint = sentence`Why: ${berth`pods explain ${idOf(pod)}`}`;
      return new Failure({ code: 'not-ready', exit: EXIT.jobFailed, message: `it is ${status}`, hint, id: idOf(pod) });
    },
    describe: describeReach,
    resume: (ids) => berth`pods wait ${ids} --for ${REACHABLE}`,
  },
  endpoint: {
    noun: 'endpoint',
    name: 'rolled out',
    path: ['releases'],
    done: (releases) =>
      (numberAt(releases, 'rollout.percentOnLatest') ?? 100) >= 100 || memberAt(releases, 'rollout.workersTotal') === 0,
    describe: (releases) => `${numberAt(releases, 'rollout.percentOnLatest') ?? '?'}% of workers`,
  },
};

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
  for (const [name, goal] of Object.entries(READY) as [KindName, Ready][]) {
    const waiting = outcomes.filter((each) => isWaitedFor(each, name) && each.action !== 'delete');
    const things = waiting.map(({ planned: { document }, row = null }): Awaited => {
      const id = idOf(row);
      return {
        id,
        read: () => ctx.api.send(readRequest([...document.kind.collection.path, id, ...goal.path], { id })),
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
      const row: Json | undefined = goal.path.length === 0 ? answer?.value : undefined;
      ended.set(outcome, { ...outcome, row: row ?? outcome.row ?? null, failure });
    }
  }
  return outcomes.map((each) => ended.get(each) ?? each);
}
