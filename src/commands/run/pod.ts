/** The pod of a run: it is made once, and is surely gone at the end. */
import type { Api, ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, unknownOutcome } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { podsOfKey, withKey } from '../../create/key.ts';
import { idOf } from '../../output/view.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { post } from '../../cli/resource/noun-writes.ts';
import { listRows } from '../../cli/resource/requests.ts';
import { every, type Goal, until } from '../../cli/until.ts';
import { describeReach, isAt, REACHABLE, statusOf } from '../pods/reachable.ts';
import { readRow } from '../../cli/resource/targets.ts';
import { PODS } from '../pods/resource.ts';

const FIRST_MS: Milliseconds = 250;
const LONGEST_MS: Milliseconds = 5000;
/** Two looks in a row that find nothing, this far apart, say that a pod is gone. */
const AGAIN_MS: Milliseconds = 5000;

/** The same command without the interrupt that ended it: what must still be done then. */
export const afterwards = (ctx: CommandContext): CommandContext => {
  const { signal } = new AbortController();
  return { ...ctx, signal, api: ctx.batchApi({ signal, onWindows: () => undefined }) };
};

/** The pod with the mark of a run; a create whose answer was lost may have made one. */
async function markedPods(ctx: CommandContext, mark: string): Promise<readonly Json[]> {
  return podsOfKey((await listRows(ctx, PODS)).values, mark);
}

/** Sends the create. After a lost answer the pod is looked for by its mark, up to a minute (8). */
export async function createMarked(ctx: CommandContext, mark: string, body: JsonObject): Promise<ApiAnswer> {
  try {
    return await ctx.api.send(post(PODS, withKey(body, mark, mark)));
  } catch (error) {
    if (!(error instanceof Failure) || error.exit !== EXIT.unknown) throw error;
    const found = await lookFor(ctx, mark, MINUTE_MS);
    if (found === undefined) throw error.with({ message: `${error.message}; no pod with the mark ${mark} was found` });
    return { status: 200, headers: {}, text: '', value: found };
  }
}

async function lookFor(ctx: CommandContext, mark: string, timeoutMs: Milliseconds): Promise<Json | undefined> {
  const read = async (): Promise<ApiAnswer> => {
    const [value] = await markedPods(ctx, mark);
    return { status: 200, headers: {}, text: '', value: value ?? null };
  };
  const goal: Goal = { noun: 'pod', name: 'listed', done: (row) => row !== null, describe: () => 'not listed' };
  const [end] = await until(ctx, [{ id: mark, read }], goal, timeoutMs);
  return end?.failure === undefined ? end?.answer?.value : undefined;
}

/** Until its SSH has an address. Fails with 10 where it does not come up, with wait-ended (9). */
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
 * Terminates what a run made, by its id or else by its mark, in at most `patienceMs`. A pod is gone after a 204, or after two
 * looks five seconds apart that find none. Returns the ids. Fails with outcome-unknown (8) where that cannot be had.
 */
export async function terminateSurely(
  ctx: CommandContext,
  { mark, id }: { readonly mark: string; readonly id: string | undefined },
  patienceMs: Milliseconds = 2 * MINUTE_MS,
): Promise<readonly string[]> {
  const end = ctx.clock.monotonic() + patienceMs;
  let trouble: Failure | undefined;
  const ids = id === undefined ? await persist(async () => (await markedPods(ctx, mark)).map(idOf)) : [id];
  for (const each of ids) await persist(() => isGone(ctx.api, each, () => every(ctx, AGAIN_MS)));
  return ids;

  async function persist<T>(work: () => Promise<T>): Promise<T> {
    for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_MS)) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Failure) || ctx.signal.aborted) throw error;
        trouble = error;
      }
      if (ctx.clock.monotonic() >= end || [EXIT.denied, EXIT.usage].includes(trouble.exit as never)) break;
      await every(ctx, pauseMs);
    }
    const what = id === undefined ? `a pod with the mark ${mark}` : `pod ${id}`;
    const check = id === undefined ? berth`run end ${mark}` : berth`pods terminate ${id} --yes`;
    throw unknownOutcome(`${what} may still run and cost money: ${trouble.message}`, check, id);
  }
}

async function isGone(api: Api, id: string, pause: () => Promise<void>): Promise<true> {
  const path = [...PODS.path, id];
  const checkCommand = berth`pods get ${id}`;
  try {
    const { status } = await api.send({ service: 'base', method: 'DELETE', path, id, checkCommand, destroys: false });
    if (status === 204) return true;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  for (let looks = 0; looks < 2; looks++) {
    if (looks > 0) await pause();
    const there = await api
      .send({ service: 'base', method: 'GET', path, id: asId(id), expects: 'resource' })
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
    if (there !== undefined && statusOf(there.value ?? null) !== 'TERMINATED')
      throw unknownOutcome(`it is ${statusOf(there.value ?? null)} after its removal was accepted`, checkCommand, id);
  }
  return true;
}
