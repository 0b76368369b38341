/** The pod of a run: made once, named by its mark, and surely gone at the end. */
import type { ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { isNotFound, rethrowUnlessFailure, unknownOutcome } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { berth } from '../../core/message.ts';
import { type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { podsOfKey } from '../../create/key.ts';
import { idOf } from '../../output/view.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { listRows, rowRequest } from '../../cli/resource/requests.ts';
import { every } from '../../cli/until.ts';
import { statusOf } from '../pods/reachable.ts';
import { PODS } from '../pods/resource.ts';

const FIRST_MS: Milliseconds = 250;
const LONGEST_MS: Milliseconds = 5000;
/** Two looks that find nothing, this far apart, say that a pod is gone. */
const AGAIN_MS: Milliseconds = 5000;

/** It names files here and in the pod, and comes from a variable of the pod. */
export const isMark = (text: string): boolean => /^run-[a-z0-9]{1,20}$/.test(text);

/** Repeats what has no value yet, at growing intervals. */
export async function again<T>(ctx: CommandContext, work: () => Promise<T | undefined>): Promise<T> {
  for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_MS)) {
    const value = await work();
    if (value !== undefined) return value;
    await every(ctx, pauseMs);
  }
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
  const surely = <T>(work: () => Promise<T | undefined>): Promise<T> =>
    again(ctx, async () => {
      try {
        return await work();
      } catch (error) {
        rethrowUnlessFailure(error, ctx);
        if (passedMs() < patienceMs && error.exit !== EXIT.denied) return undefined;
        const command = id === undefined ? berth`run end ${mark}` : berth`pods terminate ${id}`;
        throw unknownOutcome(`pod ${id ?? mark} may still run and cost money: ${error.message}`, command, id);
      }
    });
  const find = async (): Promise<readonly string[] | undefined> => {
    const ids = podsOfKey((await listRows(ctx, PODS)).values, mark).map(idOf);
    return ids.length === 0 && passedMs() < lagMs ? undefined : ids;
  };
  const ids = id === undefined ? await surely(find) : [id];
  for (const each of ids) await surely(() => terminate(ctx, each));
  return ids;
}

/** Fails while the pod may be there. */
async function terminate(ctx: CommandContext, id: string): Promise<true> {
  const request = { service: 'base', method: 'DELETE', path: [...PODS.path, id], id, destroys: false } as const;
  const checkCommand = berth`pods get ${id}`;
  const answer = await unlessGone(ctx.api.send({ ...request, checkCommand }));
  if (answer?.status === 204) return true;
  const check = async (): Promise<void> => {
    const row = await unlessGone(ctx.api.send(rowRequest(PODS, asId(id))));
    const status = row === undefined ? 'TERMINATED' : statusOf(row.value ?? null);
    if (status !== 'TERMINATED') throw unknownOutcome(`it is ${status}`, checkCommand, id);
  };
  await check();
  await every(ctx, AGAIN_MS);
  await check();
  return true;
}

const unlessGone = (answer: Promise<ApiAnswer>): Promise<ApiAnswer | undefined> =>
  answer.catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
