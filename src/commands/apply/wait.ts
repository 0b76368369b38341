import type { CommandContext } from '../../cli/model/context.ts';
import { resourceOf } from '../../cli/resource/read.ts';
import { waitForRow, type WaitSpec } from '../../cli/resource/wait-for-row.ts';
import { pluralOf } from '../../cli/words.ts';
import { type Done, type Outcome, PartlyDone } from './outcome.ts';
import { ROLLOUT } from '../endpoints/releases.ts';
import type { FileKind, KindName } from '../plan/kinds.ts';
import { isAt, REACHABLE } from '../pods/reachable.ts';
import { untilStatus } from '../pods/wait.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isInterrupt } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { type Json, stringAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { createAbsence } from '../../core/not-there-yet.ts';
import { idOf } from '../../output/view.ts';

/** Only these kinds need time. */
const READY: Readonly<Partial<Record<KindName, WaitSpec>>> = { pod: untilStatus(REACHABLE), endpoint: ROLLOUT };

/** Not a stopped pod. Unchanged things too: an earlier apply may have ended before they were ready. */
export function isWaitedFor({ name }: FileKind, { action, row }: Done): boolean {
  if (READY[name] === undefined || stringAt(row, 'status') === 'EXITED') return false;
  return action === 'create' || action === 'update' || (action === 'none' && (name !== 'pod' || !isAt(row, REACHABLE)));
}

/** `untilMs` is monotonic. Wait-ended (9); job-failed (10) with the last row if it cannot become ready. */
export async function waitUntilReady(ctx: CommandContext, kind: FileKind, done: Done, untilMs: number): Promise<Done> {
  const spec = READY[kind.name];
  if (spec === undefined) return done;
  const { collection, table } = kind;
  const id = asId<string>(idOf(done.row));
  const timeoutMs = Math.max(0, untilMs - ctx.clock.monotonic());
  let { row } = done;
  const seeing: WaitSpec = {
    ...spec,
    done: (seen) => {
      if (spec.subresource === undefined && idOf(seen) === id) row = seen;
      return spec.done(seen);
    },
    // Said at the end, for everything that was made.
    stillRunning: () => undefined,
  };
  const silent: CommandContext = { ...ctx, setResumeCommand: () => undefined };
  const noun = pluralOf(collection.noun);
  const failed = (failure: Failure): PartlyDone => new PartlyDone(failure, { done: { ...done, row } });
  try {
    const resource = resourceOf(collection, table);
    const end = await waitForRow(silent, resource, noun, id, seeing, timeoutMs, createAbsence(ctx.clock));
    if (end.exit === undefined) return { ...done, row };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const isOwn = error.code === 'wait-ended' || ctx.signal.aborted;
    throw failed(
      error.with({
        id,
        message: ctx.signal.aborted ? `${error.message} before it was ready` : error.message,
        ...(isOwn ? { hint: undefined } : {}),
      }),
    );
  }
  throw failed(
    new Failure({
      code: 'not-ready',
      exit: EXIT.jobFailed,
      message: `it is ${stringAt(row, 'status') ?? 'as the file says'} and cannot become ready`,
      hint: kind.name === 'pod' ? sentence`Why: ${berth`pods explain ${id}`}` : undefined,
      id,
    }),
  );
}

export const notWaitedFor = (row: Json, before: Failure | undefined): Failure =>
  new Failure({
    ...(isInterrupt(before) ? { code: before.code, exit: before.exit } : { code: 'wait-ended', exit: EXIT.waitEnded }),
    message: `not waited for: ${isInterrupt(before) ? 'it was interrupted before' : 'something before it failed'}`,
    id: idOf(row),
  });

export function goOnLines(outcomes: readonly Outcome[]): readonly Message[] {
  const unready = outcomes.filter(({ failure }) => ENDED.includes(failure?.code ?? ''));
  const idsOf = (name: KindName): readonly string[] =>
    unready.flatMap(({ planned, done }) =>
      done !== undefined && planned.document.kind.name === name ? [idOf(done.row)] : [],
    );
  const pods = idsOf('pod');
  return [
    ...(pods.length === 0 ? [] : [berth`pods wait ${pods} --for ${REACHABLE}`]),
    ...idsOf('endpoint').flatMap((id) => ROLLOUT.resumeCommand?.(id) ?? []),
  ].map((line) => sentence`Go on waiting: ${line}`);
}

const ENDED: readonly string[] = ['wait-ended', 'interrupted', 'terminated', 'unavailable', 'rate-limited'];
