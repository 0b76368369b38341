import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { stringAt, type Json } from '../../core/json.ts';
import { createAbsence } from '../../core/not-there-yet.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { resourceOf } from '../../cli/resource/read.ts';
import { waitForRow, type WaitSpec } from '../../cli/resource/wait-for-row.ts';
import { pluralOf } from '../../cli/words/words.ts';
import { idOf } from '../../output/view.ts';
import { ROLLOUT } from '../endpoints/releases.ts';
import type { FileKind, KindName } from '../plan/document/kinds.ts';
import { untilStatus } from '../pods/actions/wait.ts';
import { REACHABLE } from '../pods/pod/reachable.ts';

/** What a kind is waited for; of the others, nothing takes time. */
const READY: Readonly<Partial<Record<KindName, WaitSpec>>> = { pod: untilStatus(REACHABLE), endpoint: ROLLOUT };

/** Whether a row becomes ready by itself: a stopped pod does not. */
export const isWaitedFor = ({ name }: FileKind, row: Json): boolean =>
  READY[name] !== undefined && stringAt(row, 'status') !== 'EXITED';

/**
 * Waits until a pod can be reached, or the workers of an endpoint run its last release. `untilMs` is on the clock that never
 * jumps. Fails with wait-ended (9), and with job-failed (10) where it cannot become ready.
 */
export async function waitUntilReady(ctx: CommandContext, kind: FileKind, row: Json, untilMs: number): Promise<void> {
  const spec = READY[kind.name];
  if (spec === undefined) return;
  const { collection, table } = kind;
  const id = asId<string>(idOf(row));
  const timeoutMs = Math.max(0, untilMs - ctx.clock.monotonic());
  const absence = createAbsence(ctx.clock);
  const noun = pluralOf(collection.noun);
  const end = await waitForRow(ctx, resourceOf(collection, table), noun, id, spec, timeoutMs, absence);
  if (end.exit === undefined) return;
  throw new Failure({
    code: 'not-ready',
    exit: EXIT.jobFailed,
    message: `it is ${stringAt(end.value, 'status') ?? 'as the file says'} and cannot become ready`,
    id,
  });
}
