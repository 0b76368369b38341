/** How a pod is created: GPU types in the order given, none above a price, once or until there is room; one pod of a key. */
import { run } from '../../cli/hint.ts';
import { textsIn, type Values } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { dollarsPerHour, pricePath, tellPrice, times } from '../../cli/money.ts';
import { GPUS } from '../../cli/resource/collections.ts';
import { post } from '../../cli/resource/noun-writes.ts';
import { listRows } from '../../cli/resource/pages.ts';
import { every, until } from '../../cli/until.ts';
import { PODS } from './fields.ts';
import { statusOf } from './reachable.ts';
import { readerOf } from './wait.ts';
import { answerOf } from '../../cli/resource/targets.ts';
import type { ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure, unknownOutcome, unlessFailed, usage } from '../../core/failure.ts';
import { type Json, type JsonObject, memberAt, numberAt, objectOf, stringAt, stringsOf } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { attemptOf, byAge, podsOfKey, withKey } from '../../create/key.ts';
import { idOf } from '../../output/view.ts';

export const PLACEMENT = {
  maxPrice: option.dollars('highest price per hour for the whole pod'),
  untilAvailable: option.durationWithUnit('wait this long for a GPU type that has room'),
};

interface Placement {
  readonly gpus: readonly string[];
  /** US dollars an hour for the whole pod. */
  readonly maxPrice: number | undefined;
  readonly waitMs: number | undefined;
}

/** Sends one create. */
export type Send = (body: JsonObject) => Promise<ApiAnswer>;

/** Of the flags of a create; undefined where one GPU type is taken at any price now, or none. Usage (2). */
export function placementOf(values: Values, body: JsonObject): Placement | undefined {
  const gpus = textsIn(values, 'gpu');
  const [maxPrice, waitMs] = [values['maxPrice'], values['untilAvailable']] as readonly (number | undefined)[];
  if (gpus.length <= 1 && maxPrice === undefined && waitMs === undefined) return undefined;
  if (body['gpu'] === undefined) throw usage('--max-price and --until-available need --gpu');
  return { gpus: gpus.length > 0 ? gpus : [stringAt(body, 'gpu.id') ?? ''], maxPrice, waitMs };
}

async function readOffers(ctx: CommandContext, body: JsonObject, gpus: readonly string[]) {
  const count = numberAt(body, 'gpu.count') ?? 1;
  const versions = stringsOf(memberAt(body, 'gpu.allowedCudaVersions'));
  const { values } = await listRows(ctx, GPUS, {
    include: 'AVAILABILITY',
    product: 'POD',
    count,
    cloud: stringAt(body, 'cloud') ?? 'SECURE',
    cudaVersions: versions.length === 0 ? undefined : versions.join(','),
    minCudaVersion: stringAt(body, 'gpu.minCudaVersion'),
  });
  return [...new Set(gpus)].map((gpu) => {
    const row = values.find((each) => idOf(each) === gpu);
    const price = times(numberAt(row, pricePath(body)), count);
    const shown = `${gpu} (${price === undefined ? 'unknown price' : dollarsPerHour(price)})`;
    return { gpu, price, shown, hasRoom: (stringAt(row, 'availability') ?? 'NONE') !== 'NONE' };
  });
}

/**
 * Creates one pod on the first GPU type that has room. Fails with limit-exceeded (15) where all are above the price, with
 * wait-ended (9) when the time is over, and with the last refusal where nothing is waited for.
 */
export async function place(
  ctx: CommandContext,
  body: JsonObject,
  placement: Placement | undefined,
  send: Send,
): Promise<ApiAnswer> {
  if (placement === undefined) return await send(body);
  const { gpus, maxPrice = Infinity, waitMs } = placement;
  let refusal: Failure | undefined;
  const attempt = async (): Promise<ApiAnswer> => {
    const isFirst = refusal === undefined;
    const offers = await readOffers(ctx, body, gpus);
    const affordable = offers.filter(({ price = maxPrice === Infinity ? 0 : Infinity }) => price <= maxPrice);
    if (affordable.length === 0)
      throw limit(`above --max-price ${dollarsPerHour(maxPrice)}: ${offers.map(({ shown }) => shown).join(', ')}`);
    // The first time the service itself is asked: the catalog may lag.
    for (const { gpu, shown } of affordable.filter(({ hasRoom }) => isFirst || hasRoom))
      try {
        if (isFirst) await tellPrice(ctx, () => `Trying ${shown}`);
        return await send({ ...body, gpu: { ...objectOf(body['gpu']), id: gpu } });
      } catch (error) {
        if (!isNoRoom(error)) throw error;
        refusal = error;
      }
    throw refusal ?? new Error('nothing was asked');
  };
  const answer =
    waitMs === undefined ? await attempt() : await untilRoom(ctx, stringAt(body, 'name') ?? 'pod', attempt, waitMs);
  const cost = numberAt(answer.value, 'cost') ?? 0;
  if (cost <= maxPrice) return answer;
  const id = idOf(answer.value);
  await terminateOwn(ctx, id);
  throw limit(`pod ${id} costs ${dollarsPerHour(cost)}, above --max-price: terminated`);
}

/**
 * Terminates what this command made, with restricted access too. It is gone after a 204, or where two reads find none: a replica
 * answers 404 for a pod that it does not know yet.
 */
export async function terminateOwn(ctx: CommandContext, id: string): Promise<void> {
  const path = [...PODS.path, id];
  const checkCommand = berth`pods get ${id}`;
  try {
    await ctx.api.send({ service: 'base', method: 'DELETE', path, id, checkCommand, destroys: false });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.exit !== EXIT.notFound) {
      const message = `pod ${id} was not terminated, and costs money: ${error.message}`;
      throw error.with({ message, hint: run(berth`pods terminate ${id}`), id });
    }
    const read = readerOf(ctx, id, true);
    for (const pauseMs of [0, 5000]) {
      await every(ctx, pauseMs);
      const status = statusOf((await read()).value ?? null);
      if (status !== 'TERMINATED') throw unknownOutcome(`pod ${id} is ${status}`, berth`pods terminate ${id}`, id);
    }
  }
}

/** Repeats what is refused for lack of room until there is some, or the time is over (9). */
export async function untilRoom(
  ctx: CommandContext,
  id: string,
  attempt: () => Promise<ApiAnswer>,
  waitMs: number,
): Promise<ApiAnswer> {
  const read = () =>
    attempt().catch((error: unknown) => {
      if (!isNoRoom(error)) throw error;
      return answerOf(null);
    });
  const goal = { noun: 'pod', name: 'placed', done: (row: Json) => row !== null, describe: () => 'no room' };
  const [end] = await until(ctx, [{ id, read }], goal, waitMs);
  if (end?.answer === undefined || end.failure !== undefined) throw end?.failure ?? new Error('no end');
  return end.answer;
}

const limit = (message: string): Failure =>
  new Failure({ code: 'limit-exceeded', exit: EXIT.limitExceeded, message, hint: run(berth`catalog gpus`) });

const roomHint = (): Message =>
  sentence`Pass --until-available 6h or another --gpu. ${run(berth`catalog gpus --available --product POD`)}`;

const NO_ROOM =
  /no longer any instances available|instances currently available|resources to deploy|not enough free gpus on the host|insufficient capacity|no available machine|out of stock/i;

/** Whether another GPU type, or another time, may help: only the text of the service says it. */
const isNoRoom = (error: unknown): error is Failure =>
  error instanceof Failure && error.status === 400 && NO_ROOM.test(error.detail ?? error.title ?? '');

/** `hint`: what to do where there is no room. Other failures stay as they are. */
export const inOwnWords = (failure: Failure, hint: Message = roomHint()): Failure =>
  isNoRoom(failure)
    ? failure.with({
        code: 'no-capacity',
        exit: EXIT.refused,
        message: `no room for this pod: ${safeText(failure.detail ?? failure.title ?? '')}`,
        hint,
      })
    : failure;

export const podsWith = async (ctx: CommandContext, key: string): Promise<readonly Json[]> =>
  podsOfKey((await listRows(ctx, PODS)).values, key);

/**
 * At most one pod has a key, wherever it is created: the key is a variable of the pod. Returns the pod of the key where there is
 * one; else `create` makes it with the given `send`, and of two that were made at once the younger is terminated by its maker. A
 * lost answer is looked for up to a minute, then outcome-unknown (8).
 */
export async function createKeyed(
  ctx: CommandContext,
  key: string,
  create: (send: Send) => Promise<ApiAnswer>,
): Promise<ApiAnswer> {
  const existing = (pod: Json): ApiAnswer => ({ ...answerOf(pod), unchanged: true });
  // A dry run changes nothing that another create must wait for.
  const lock = ctx.dryRun
    ? undefined
    : await ctx.accountLock(`the create with the key ${key}`, (holder) => ctx.tell(`Waiting: ${holder}.`));
  try {
    const [there] = await podsWith(ctx, key);
    if (there !== undefined) return existing(there);
    const hint = `Run the same command again with --idempotency-key ${key}: it finds what was created.`;
    const attempt = `${ctx.random().toString(36).slice(2)}${ctx.random().toString(36).slice(2)}`;
    const made = await create((body) => sendOnce(ctx, body, { key, attempt, hint }));
    const id = idOf(made.value);
    const listed = (await unlessFailed(ctx, () => podsWith(ctx, key))) ?? [];
    // As the list has it, if it does: both makers compare the same times.
    const [oldest = null] = byAge(listed.some((pod) => idOf(pod) === id) ? listed : [made.value ?? null, ...listed]);
    if (idOf(oldest) === id) return made;
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
