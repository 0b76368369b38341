/** At most one pod of a key, however often and wherever it is created: the key is a variable of the pod. */
import type { ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { type Failure, rethrowUnlessFailure, unlessFailed } from '../../core/failure.ts';
import { encodeJson, type Json, type JsonObject } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { attemptOf, byAge, podsOfKey, withKey } from '../../create/key.ts';
import { idOf } from '../../output/view.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { listRows } from '../../cli/resource/pages.ts';
import { post } from '../../cli/resource/noun-writes.ts';
import { every } from '../../cli/until.ts';
import { terminateOwn } from './place.ts';
import { PODS } from './resource.ts';

/** Sends one create. */
type Send = (body: JsonObject) => Promise<ApiAnswer>;

const podsWith = async (ctx: CommandContext, key: string): Promise<readonly Json[]> =>
  podsOfKey((await listRows(ctx, PODS)).values, key);

/**
 * Returns the pod of the key where there is one; else `create` makes it with the given `send`, and of two that were made at once
 * the younger is terminated by its maker. A lost answer is looked for up to a minute, then outcome-unknown (8).
 */
export async function createKeyed(
  ctx: CommandContext,
  key: string,
  create: (send: Send) => Promise<ApiAnswer>,
): Promise<ApiAnswer> {
  const existing = (pod: Json = null): ApiAnswer => ({ ...answerOf(pod), existed: true });
  // A dry run changes nothing that another create must wait for.
  const lock = ctx.dryRun
    ? undefined
    : await ctx.accountLock(`the create with the key ${key}`, (holder) => ctx.tell(`Waiting: ${holder}.`));
  try {
    const [there] = await podsWith(ctx, key);
    if (there !== undefined) return existing(there);
    const hint = `Run the same command again with --idempotency-key ${key}: it finds what was created.`;
    const made = await create((body) => sendOnce(ctx, body, { key, attempt: attemptId(ctx), hint }));
    const id = idOf(made.value);
    const pods = await unlessFailed(ctx, () => podsWith(ctx, key));
    if (pods === undefined)
      await ctx.tell(sentence`could not check that pod ${id} is the only one with its key: ${berth`pods list`}`);
    const others = pods?.filter((pod) => idOf(pod) !== id) ?? [];
    const own = pods?.find((pod) => idOf(pod) === id) ?? made.value ?? null;
    const [oldest = own] = byAge([own, ...others]);
    if (oldest === own) return made;
    await ctx.tell(`pod ${idOf(oldest)} has the same key and is older: terminating pod ${id}`);
    await terminateOwn(ctx, id);
    return existing(oldest);
  } finally {
    lock?.release();
  }
}

/** A second create would be a second pod: after a lost answer it only looks for the one of this attempt. */
export async function sendOnce(
  ctx: CommandContext,
  body: JsonObject,
  { key, attempt, hint }: { readonly key: string; readonly attempt: string; readonly hint: Message | undefined },
): Promise<ApiAnswer> {
  try {
    return await ctx.api.send(post(PODS, withKey(body, key, attempt)));
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    if (error.exit !== EXIT.unknown) throw error;
    const look = async () => (await podsWith(ctx, key)).find((pod) => attemptOf(pod) === attempt);
    return answerOf(await findLost(ctx, error, hint, look));
  }
}

const answerOf = (pod: Json): ApiAnswer => ({ status: 200, headers: {}, text: encodeJson(pod), value: pod });

/** Pauses before each read of a list that does not have what was made: a replica may lag for a minute. */
const LOOKS_MS = [0, 2000, 5000, 10_000, 20_000, 30_000] as const;

export async function lookFor<T>(ctx: CommandContext, look: () => Promise<T | undefined>): Promise<T | undefined> {
  for (const pause of LOOKS_MS) {
    if (pause > 0) await every(ctx, pause);
    const found = await unlessFailed(ctx, look);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What a create without an answer made. Fails as the create (8), with `hint`, where nothing appears for a minute. */
export async function findLost(
  ctx: CommandContext,
  lost: Failure,
  hint: Message | undefined,
  look: () => Promise<Json | undefined>,
): Promise<Json> {
  const found = await lookFor(ctx, look);
  if (found === undefined) throw lost.with({ code: 'outcome-unknown', hint });
  return found;
}

/** Random: unique across machines. */
const attemptId = ({ random }: CommandContext): string =>
  `${random().toString(36).slice(2)}${random().toString(36).slice(2)}`;
