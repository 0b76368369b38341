import { isDeepStrictEqual } from 'node:util';
import { EXIT } from '../../../core/exit-codes.ts';
import { isNotFound, Failure } from '../../../core/failure.ts';
import { asId } from '../../../core/ids.ts';
import type { ApiRequest } from '../../../core/api.ts';
import { memberAt, numberAt, stringAt, type Json } from '../../../core/json.ts';
import { berth } from '../../../core/message.ts';
import { forgetCreated } from '../../../cli/resource/created.ts';
import { rowRequest } from '../../../cli/resource/identity/requests.ts';
import type { Collection } from '../../../cli/model/collection.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { idOf } from '../../../output/view.ts';
import { deadlinesOf } from '../../../guard/deadline.ts';
import type { ActingAction, ActingDecision } from '../../../guard/decide/decide.ts';
import { ENDPOINTS, PODS } from '../../shared/collections.ts';
import { podAction } from '../../shared/pod-action.ts';

/** What can become of an action. */
export const RESULTS = ['stopped', 'terminated', 'scaled to zero', 'ended before', 'changed', 'failed'] as const;

/** What became of an action. */
export interface Done {
  readonly result: (typeof RESULTS)[number];
  readonly failure?: Failure;
}

/** What the guard knows of an action. */
interface Act {
  readonly collection: Collection;
  /** The request (contract rules, Pods: actions, DELETE; Serverless endpoints: PATCH). */
  readonly request: (id: string) => ApiRequest;
  readonly result: Done['result'];
  /** What must be as it was when it was decided. */
  readonly facts: (row: Json) => readonly unknown[];
  /** Whether nothing is left to be done. */
  readonly isDone: (row: Json) => boolean;
}

const membersOf =
  (...names: readonly string[]) =>
  (row: Json): readonly unknown[] =>
    names.map((name) => memberAt(row, name) ?? null);

/** By a change of its variables a pod starts anew. */
const podFacts = (pod: Json): readonly unknown[] => [
  ...membersOf('status', 'startedAt', 'locked')(pod),
  deadlinesOf(pod),
];

const ACTS: Readonly<Record<ActingAction, Act>> = {
  stop: {
    collection: PODS,
    request: (id) => podAction(asId(id), 'stop'),
    result: 'stopped',
    facts: podFacts,
    isDone: (pod) => ['EXITED', 'TERMINATED'].includes(stringAt(pod, 'status') ?? ''),
  },
  terminate: {
    collection: PODS,
    request: (id) => ({
      service: 'base',
      method: 'DELETE',
      path: [...PODS.path, id],
      id,
      checkCommand: berth`pods list`,
    }),
    result: 'terminated',
    facts: podFacts,
    isDone: (pod) => stringAt(pod, 'status') === 'TERMINATED',
  },
  'scale-to-zero': {
    collection: ENDPOINTS,
    request: (id) => ({
      service: 'base',
      method: 'PATCH',
      path: [...ENDPOINTS.path, id],
      body: { workers: { min: 0 } },
      id,
      expects: 'resource',
      checkCommand: berth`endpoints get ${id}`,
    }),
    result: 'scaled to zero',
    facts: membersOf('createdAt', 'workers', 'scaling'),
    isDone: (endpoint) => numberAt(endpoint, 'workers.min') === 0,
  },
};

/** The request of an action. */
export const actionRequest = ({ action, row }: ActingDecision): ApiRequest => ACTS[action].request(asId(idOf(row)));

/**
 * Does what was decided. The row is read again right before: when its facts are others, or `isStillOver` says no, it is
 * left alone. After an answer that was lost or a refusal it is looked at before anything is said. A failure belongs to its
 * row, also that of an interrupt.
 */
export async function act(
  ctx: CommandContext,
  decision: ActingDecision,
  isStillOver: (row: Json) => Promise<boolean>,
): Promise<Done> {
  const { row, action } = decision;
  const { facts, isDone, result } = ACTS[action];
  try {
    const fresh = await read(ctx, decision);
    if (fresh === undefined) return { result: 'ended before' };
    if (!isDeepStrictEqual(facts(row), facts(fresh)) || !(await isStillOver(fresh)))
      return { result: isDone(fresh) ? 'ended before' : 'changed' };
    await ctx.api.send(actionRequest(decision));
    if (action === 'terminate') await forgetCreated(ctx, PODS.noun, [idOf(row)]);
    return { result };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (ctx.signal.aborted) return { result: 'failed', failure: error };
    return await afterFailure(ctx, decision, error);
  }
}

/** The row of a decision as it is now; undefined where it is gone. */
async function read(ctx: CommandContext, { row, action }: ActingDecision): Promise<Json | undefined> {
  try {
    return (await ctx.api.send(rowRequest(ACTS[action].collection, asId(idOf(row))))).value ?? null;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** A lost answer (8) and a refusal (409) may mean that it is done: by this request, or by somebody else. */
async function afterFailure(ctx: CommandContext, decision: ActingDecision, failure: Failure): Promise<Done> {
  if (failure.exit === EXIT.notFound) return { result: 'ended before' };
  if (failure.exit !== EXIT.unknown && failure.status !== 409) return { result: 'failed', failure };
  const { isDone, result } = ACTS[decision.action];
  try {
    const fresh = await read(ctx, decision);
    if (fresh !== undefined && !isDone(fresh)) return { result: 'failed', failure };
    return { result: failure.exit === EXIT.unknown ? result : 'ended before' };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { result: 'failed', failure };
  }
}
