/** The pod of a run: it is made once, and is surely gone at the end. */
import type { Api, ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, rethrowUnlessFailure, unknownOutcome } from '../../core/failure.ts';
import { type Json, type JsonObject, encodeJson } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { podsOfKey, withKey } from '../../create/key.ts';
import { idOf } from '../../output/view.ts';
import { run as runLine } from '../../cli/hint.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { post } from '../../cli/resource/noun-writes.ts';
import { listRows, rowRequest } from '../../cli/resource/requests.ts';
import { readRow } from '../../cli/resource/targets.ts';
import { every, type Goal, until } from '../../cli/until.ts';
import { findLost } from '../pods/keyed-create.ts';
import { describeReach, isAt, REACHABLE, statusOf } from '../pods/reachable.ts';
import { PODS } from '../pods/resource.ts';
import { asId } from '../../core/ids.ts';

const FIRST_MS: Milliseconds = 250;
const LONGEST_MS: Milliseconds = 5000;
/** Two looks that find nothing, this far apart, say that a pod is gone. */
const AGAIN_MS: Milliseconds = 5000;

/** It names files here and in the pod, and comes from a variable of the pod. */
export const isMark = (text: string): boolean => /^run-[a-z0-9]{1,20}$/.test(text);

/** The same command without the interrupt that ended it, for what must still be done then. */
export const afterwards = (ctx: CommandContext): CommandContext => {
  const { signal } = new AbortController();
  return { ...ctx, signal, api: ctx.batchApi({ signal, onWindows: () => undefined }) };
};

const markedPods = async (ctx: CommandContext, mark: string): Promise<readonly Json[]> =>
  podsOfKey((await listRows(ctx, PODS)).values, mark);

/** Sends the create. After a lost answer the pod is looked for by its mark, for a minute (8). */
export async function createMarked(ctx: CommandContext, mark: string, body: JsonObject): Promise<ApiAnswer> {
  try {
    return await ctx.api.send(post(PODS, withKey(body, mark, mark)));
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    if (error.exit !== EXIT.unknown) throw error;
    const value = await findLost(
      ctx,
      error,
      runLine(berth`run end ${mark}`),
      async () => (await markedPods(ctx, mark))[0],
    );
    return { status: 200, headers: {}, text: encodeJson(value), value };
  }
}

/** Until its SSH has an address. Fails with wait-ended (9), and with 10 where the pod does not come up. */
export async function waitForSsh(ctx: CommandContext, id: string, timeoutMs: Milliseconds): Promise<void> {
  const goal: Goal = {
    noun: 'pod',
    name: REACHABLE,
    done: (pod) => isAt(pod, REACHABLE),
    stuck: (pod) =>
      ['ERROR', 'EXITED', 'TERMINATED'].includes(statusOf(pod))
        ? new Failure({ code: 'run-died', exit: EXIT.jobFailed, message: `pod ${id} is ${statusOf(pod)}`, id })
        : undefined,
    describe: describeReach,
  };
  const [end] = await until(ctx, [{ id, read: () => readRow(ctx, PODS, id) }], goal, timeoutMs);
  if (end?.failure !== undefined) throw end.failure;
}

/**
 * Terminates what a run made, by its id or else by its mark, which a list may show `lagMs` later. A pod is gone after a 204,
 * or after two looks five seconds apart that find none. Returns the ids. Fails with outcome-unknown (8) after `patienceMs`.
 */
export async function terminateSurely(
  ctx: CommandContext,
  { mark, id }: { readonly mark: string; readonly id?: string | undefined },
  patienceMs: Milliseconds,
  lagMs: Milliseconds = MINUTE_MS,
): Promise<readonly string[]> {
  const startedAt = ctx.clock.monotonic();
  const passedMs = (): Milliseconds => ctx.clock.monotonic() - startedAt;
  const find = async (): Promise<readonly string[]> => {
    const ids = (await markedPods(ctx, mark)).map(idOf);
    if (ids.length === 0 && passedMs() < lagMs) throw unknownOutcome('it is not listed', undefined);
    return ids;
  };
  const persist = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_MS)) {
      try {
        return await work();
      } catch (error) {
        rethrowUnlessFailure(error, ctx);
        if (passedMs() >= patienceMs || error.exit === EXIT.denied)
          throw unknownOutcome(
            `pod ${id ?? mark} may still run and cost money: ${error.message}`,
            id === undefined ? berth`run end ${mark}` : berth`pods terminate ${id}`,
            id,
          );
      }
      await every(ctx, pauseMs);
    }
  };
  const ids = id === undefined ? await persist(find) : [id];
  for (const each of ids) await persist(() => terminate(ctx, each));
  return ids;
}

async function terminate(ctx: CommandContext, id: string): Promise<void> {
  const request = { service: 'base', method: 'DELETE', path: [...PODS.path, id], id, destroys: false } as const;
  const answer = await unlessGone(ctx.api.send({ ...request, checkCommand: berth`pods get ${id}` }));
  if (answer?.status === 204) return;
  await checkGone(ctx.api, id);
  await every(ctx, AGAIN_MS);
  await checkGone(ctx.api, id);
}

async function checkGone(api: Api, id: string): Promise<void> {
  const status = statusOf((await unlessGone(api.send(rowRequest(PODS, asId(id)))))?.value ?? { status: 'TERMINATED' });
  if (status !== 'TERMINATED') throw unknownOutcome(`it is ${status}`, undefined, id);
}

const unlessGone = (answer: Promise<ApiAnswer>): Promise<ApiAnswer | undefined> =>
  answer.catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
