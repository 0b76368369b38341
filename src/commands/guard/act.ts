import { isDeepStrictEqual } from 'node:util';
import type { ApiRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { type Json, memberAt, stringAt } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { rowRequest } from '../../cli/resource/requests.ts';
import { idOf } from '../../output/view.ts';
import { deadlinesOf, type DeadlineAction } from '../../guard/deadline.ts';
import type { ActingDecision } from '../../guard/decide.ts';
import { PODS } from '../../cli/resource/collections.ts';
import { podAction } from '../../cli/resource/pod-action.ts';

export const RESULTS = ['stopped', 'terminated', 'ended before', 'changed', 'failed'] as const;

export interface Done {
  readonly result: (typeof RESULTS)[number];
  readonly failure?: Failure;
}

/** Per action: its result, and the statuses in which nothing is left to do. */
const ACTS = {
  stop: { result: 'stopped', done: ['EXITED', 'TERMINATED'] },
  terminate: { result: 'terminated', done: ['TERMINATED'] },
} as const satisfies Record<DeadlineAction, { readonly result: Done['result']; readonly done: readonly string[] }>;

/** Contract rules, Pods: actions, DELETE. */
export function actionRequest({ action, pod }: ActingDecision): ApiRequest {
  const id = asId<'pod'>(idOf(pod));
  if (action === 'stop') return podAction(id, 'stop');
  return { service: 'base', method: 'DELETE', path: [...PODS.path, id], id, checkCommand: berth`pods list` };
}

/** Must be as when it was decided. A change of variables restarts a pod. */
const factsOf = (pod: Json): readonly unknown[] => [
  ...['status', 'startedAt', 'locked', 'cluster'].map((member) => memberAt(pod, member) ?? null),
  deadlinesOf(pod),
];

/** Reads the pod again right before, and after a lost answer or refusal. A failure belongs to its pod. */
export async function act(
  ctx: CommandContext,
  decision: ActingDecision,
  isStillOver: (pod: Json) => boolean,
): Promise<Done> {
  const { pod, action } = decision;
  const { result } = ACTS[action];
  try {
    const fresh = await read(ctx, decision);
    if (fresh === undefined) return { result: 'ended before' };
    if (!isDeepStrictEqual(factsOf(pod), factsOf(fresh)) || !isStillOver(fresh))
      return { result: isDone(decision, fresh) ? 'ended before' : 'changed' };
    await ctx.api.send(actionRequest(decision));
    return { result };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return ctx.signal.aborted ? { result: 'failed', failure: error } : await afterFailure(ctx, decision, error);
  }
}

const isDone = ({ action }: ActingDecision, pod: Json): boolean =>
  ACTS[action].done.some((status) => status === stringAt(pod, 'status'));

async function read(ctx: CommandContext, { pod }: ActingDecision): Promise<Json | undefined> {
  try {
    return (await ctx.api.send(rowRequest(PODS, asId(idOf(pod))))).value ?? null;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** After a lost answer (8) or refusal (409) it may be done, by this request or by somebody else. */
async function afterFailure(ctx: CommandContext, decision: ActingDecision, failure: Failure): Promise<Done> {
  if (failure.exit === EXIT.notFound) return { result: 'ended before' };
  if (failure.exit !== EXIT.unknown && failure.status !== 409) return { result: 'failed', failure };
  try {
    const fresh = await read(ctx, decision);
    if (fresh !== undefined && !isDone(decision, fresh)) return { result: 'failed', failure };
    return { result: failure.exit === EXIT.unknown ? ACTS[decision.action].result : 'ended before' };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { result: 'failed', failure };
  }
}
