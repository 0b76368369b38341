import { isDeepStrictEqual } from 'node:util';
import { EXIT } from '../../core/exit-codes.ts';
import { isNotFound, Failure } from '../../core/failure.ts';
import { asId, type Id } from '../../core/ids.ts';
import type { ApiRequest } from '../../core/api.ts';
import { memberAt, stringAt, type Json } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { rowRequest } from '../../cli/resource/identity/requests.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { idOf } from '../../output/view.ts';
import { deadlinesOf } from '../../guard/deadline.ts';
import type { Decision } from '../../guard/decide.ts';
import { PODS } from '../shared/collections.ts';

/** What can become of an action. */
export const RESULTS = ['stopped', 'terminated', 'ended before', 'changed', 'failed'] as const;

/** What became of an action. */
export interface Done {
  readonly result: (typeof RESULTS)[number];
  readonly failure?: Failure;
}

/** The request of an action (contract rules, Pods: actions, DELETE). */
export const actionRequest = (action: 'stop' | 'terminate', id: Id<'pod'>): ApiRequest =>
  action === 'terminate'
    ? { service: 'base', method: 'DELETE', path: [...PODS.path, id], id, checkCommand: berth`pods list` }
    : {
        service: 'base',
        method: 'POST',
        path: [...PODS.path, id, 'action'],
        body: { action: 'stop' },
        id,
        expects: 'resource',
        checkCommand: berth`pods get ${id}`,
      };

/** What must be as it was when it was decided: by a change of its variables a pod starts anew. */
const factsOf = (pod: Json) => [
  ...['status', 'startedAt', 'locked'].map((member) => memberAt(pod, member) ?? null),
  deadlinesOf(pod),
];

/**
 * Stops or terminates the pod of a decision. The pod is read again right before: when its status, its start, its lock or
 * its deadlines are others, or `isStillOver` says no, it is left alone. After an answer that was lost or a refusal it is
 * looked at before anything is said. A failure belongs to its pod, also that of an interrupt.
 */
export async function act(
  ctx: CommandContext,
  { pod, action }: Decision & { readonly action: 'stop' | 'terminate' },
  isStillOver: (pod: Json) => boolean,
): Promise<Done> {
  const id = asId<'pod'>(idOf(pod));
  try {
    const fresh = await read(ctx, id);
    if (fresh === undefined) return { result: 'ended before' };
    if (!isDeepStrictEqual(factsOf(pod), factsOf(fresh)) || !isStillOver(fresh))
      return { result: hasEnded(fresh, action) ? 'ended before' : 'changed' };
    await ctx.api.send(actionRequest(action, id));
    return { result: action === 'stop' ? 'stopped' : 'terminated' };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (ctx.signal.aborted) return { result: 'failed', failure: error };
    return await afterFailure(ctx, id, action, error);
  }
}

/** A pod; undefined where it is gone. */
async function read(ctx: CommandContext, id: Id<'pod'>): Promise<Json | undefined> {
  try {
    return (await ctx.api.send(rowRequest(PODS, id))).value ?? null;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const hasEnded = (pod: Json, action: 'stop' | 'terminate'): boolean => {
  const status = stringAt(pod, 'status');
  return status === 'TERMINATED' || (action === 'stop' && status === 'EXITED');
};

/** A lost answer (8) and a refusal (409) may mean that the pod is ended: by this request, or by somebody else. */
async function afterFailure(
  ctx: CommandContext,
  id: Id<'pod'>,
  action: 'stop' | 'terminate',
  failure: Failure,
): Promise<Done> {
  if (failure.exit === EXIT.notFound) return { result: 'ended before' };
  if (failure.exit !== EXIT.unknown && failure.status !== 409) return { result: 'failed', failure };
  try {
    const fresh = await read(ctx, id);
    if (fresh !== undefined && !hasEnded(fresh, action)) return { result: 'failed', failure };
    if (failure.exit === EXIT.unknown) return { result: action === 'stop' ? 'stopped' : 'terminated' };
    return { result: 'ended before' };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { result: 'failed', failure };
  }
}
