import { rethrowUnlessFailure, unknownOutcome } from '../../../core/failure.ts';
import { berth } from '../../../core/message.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { rowRequest } from '../../../cli/resource/identity/requests.ts';
import { shownOf, type Sent } from '../../../cli/resource/several/send-each.ts';
import { statusOf } from '../pod/reachable.ts';
import { PODS } from '../pod/resource.ts';
import { STARTED, type Action } from './refused.ts';

/** The statuses of a pod after an action (specification 3.1). */
const AFTER: Readonly<Record<Action, readonly string[]>> = {
  start: STARTED,
  restart: STARTED,
  // Another command may have terminated it meanwhile.
  stop: ['EXITED', 'TERMINATED'],
};

/** How often, and how long between, a pod is read whose answer has another status: a service may be late. */
const READS = 5;
const PAUSE_MS: Milliseconds = 1000;

/**
 * Believes an action only by the status of the pod: after an answer with another one it is read for some seconds. Returns the
 * failure outcome-unknown (8) where the status stays another or cannot be read, because a pod that was not stopped is paid on.
 */
export async function confirmAction(ctx: CommandContext, sent: Sent<'pod'>, action: Action): Promise<Sent<'pod'>> {
  let last = sent;
  for (let read = 0; last.failure === undefined && last.unchanged !== true; read += 1) {
    const status = statusOf(last.answer.value ?? null);
    if (AFTER[action].includes(status)) return last;
    if (read === READS) return unknown(sent, action, `it is ${status}`);
    if (read > 0) await ctx.clock.sleep(PAUSE_MS, ctx.signal);
    try {
      const answer = await ctx.api.send(rowRequest(PODS, last.known));
      last = { ...shownOf(answer, sent.name), id: sent.id, known: last.known, answer };
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      return unknown(sent, action, `its status could not be read: ${error.message}`);
    }
  }
  return last;
}

const unknown = ({ id, name }: Sent<'pod'>, action: Action, found: string): Sent<'pod'> => ({
  id,
  name,
  failure: unknownOutcome(`the service accepted the ${action} of pod ${id}, and ${found}`, berth`pods get ${id}`, id),
});
