import { rethrowUnlessFailure } from '../../../core/failure.ts';
import { asId } from '../../../core/ids.ts';
import type { Json } from '../../../core/json.ts';
import { berth, names, sentence, type Message } from '../../../core/message.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { rowRequest } from '../../../cli/resource/identity/requests.ts';
import { shownOf, type Sent } from '../../../cli/resource/several/send-each.ts';
import { idOf } from '../../../output/view.ts';
import { inOwnWords } from '../pod/create-refusals.ts';
import { statusOf } from '../pod/reachable.ts';
import { PODS } from '../pod/resource.ts';
import { isLocked, stillPaidLines } from './cost.ts';

/** What is done to a pod. */
export type Action = 'start' | 'stop' | 'restart';

/** Statuses of a pod that a start has reached. */
export const STARTED = ['PROVISIONING', 'STARTING', 'RUNNING'];

/** Whether an action has nothing to do: a pod has the wanted status, or is on its way to it. */
export const hasReached = (action: Action, until: string, pod: Json): boolean =>
  (action === 'start' ? STARTED : [until]).includes(statusOf(pod));

/** What to do about a refused action: a pod that cannot be stopped is still paid, and a locked one can be unlocked. */
export function refusalHint(action: Action, pod: Json): Message | undefined {
  const id = idOf(pod);
  if (action === 'stop') return stillPaidLines([pod])[0];
  return isLocked(pod)
    ? sentence`It is locked: ${berth`pods update ${id} --locked off`}, then ${berth`pods ${names(action)} ${id}`}`
    : undefined;
}

/**
 * Reads the pods whose action the service refused (409): one that has the wanted status already is unchanged, as one that
 * a selector leaves out is no failure. Another refusal stays, also when the pod cannot be read; it says what goes on costing.
 */
export async function acceptReached(
  ctx: CommandContext,
  sent: readonly Sent<'pod'>[],
  action: Action,
  until: string,
): Promise<readonly Sent<'pod'>[]> {
  const accepted: Sent<'pod'>[] = [];
  for (const each of sent)
    accepted.push(each.failure?.status === 409 ? await unlessReached(ctx, each, action, until) : each);
  return accepted;
}

/** A refusal in the words of its class; a stop is refused for other reasons. */
export const inActionWords = (sent: Sent<'pod'>, action: Action): Sent<'pod'> =>
  sent.failure === undefined || action === 'stop' ? sent : { ...sent, failure: inOwnWords(sent.failure, action) };

const withHint = (refused: Sent<'pod'>, hint: Message | undefined): Sent<'pod'> =>
  refused.failure === undefined || hint === undefined
    ? refused
    : { ...refused, failure: refused.failure.with({ hint }) };

async function unlessReached(
  ctx: CommandContext,
  refused: Sent<'pod'>,
  action: Action,
  until: string,
): Promise<Sent<'pod'>> {
  const known = asId<'pod'>(refused.id);
  try {
    const answer = await ctx.api.send(rowRequest(PODS, known));
    const pod = answer.value ?? null;
    // A pod that was RUNNING before its restart has not reached it.
    if (action === 'restart' || !hasReached(action, until, pod)) return withHint(refused, refusalHint(action, pod));
    return { ...shownOf(answer, refused.name), id: refused.id, known, answer, unchanged: true };
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return refused;
  }
}
