import type { Query } from '../../cli/model/collection.ts';
import type { CommandContext, Progress } from '../../cli/model/context.ts';
import { DATA_CENTERS, GPUS, PODS, VOLUMES } from '../../cli/resource/collections.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { listRows, lookupRows, rowRequest } from '../../cli/resource/requests.ts';
import type { CreateRequest } from '../../cli/resource/write.ts';
import { pauseOf } from '../../cli/until.ts';
import { again, type KeyedPod, shownPod } from './keyed-create.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isInterrupt, isNotFound, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { type Json, type JsonObject, memberAt, numberAt, objectOf, stringAt, stringsOf } from '../../core/json.ts';
import { berth, lines, sentence } from '../../core/message.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatDollars, formatDuration } from '../../core/units.ts';
import { nameOf, type Offer, offersOf, refuseNever, type Wanted } from '../../create/candidates.ts';
import { consequenceOf, refusalClass } from '../../create/refusals.ts';
import {
  describeOffers,
  dueOffers,
  isExhausted,
  LEAST_MS,
  offersOnce,
  type Tries,
  withRefusal,
} from '../../create/wait.ts';
import { money, text } from '../../output/cells.ts';
import { idOf, type View } from '../../output/view.ts';

/** Contract rules, Catalog. */
function catalogQuery(body: JsonObject, { count, cloud }: Wanted): Query {
  const versions = stringsOf(memberAt(body, 'gpu.allowedCudaVersions'));
  return {
    include: 'AVAILABILITY',
    product: 'POD',
    count,
    cloud,
    cudaVersions: versions.length === 0 ? undefined : versions.join(','),
    minCudaVersion: stringAt(body, 'gpu.minCudaVersion'),
  };
}

/** In order. The first read also refuses as `refuseNever`. Fails as the catalog does. */
export async function readOffers(
  ctx: CommandContext,
  body: JsonObject,
  wanted: Wanted,
  isFirst: boolean,
): Promise<readonly Offer[]> {
  const { values } = await listRows(ctx, GPUS, catalogQuery(body, wanted));
  if (isFirst) {
    const places = wanted.dataCenters.length === 0 ? [] : (await listRows(ctx, DATA_CENTERS)).values.map(idOf);
    refuseNever(wanted, values, places);
  }
  return offersOf(wanted, values);
}

/** The volume's data center is the only one possible; reported once. A volume in an unknown place is for the service. */
export async function whereVolumeIs(ctx: CommandContext, body: JsonObject, wanted: Wanted): Promise<Wanted> {
  const volume = stringAt(body, 'mounts.network.0.volumeId');
  const rows = volume === undefined ? [] : await lookupRows(ctx, VOLUMES);
  const named = rows.filter((row) => stringAt(row, 'name') === volume);
  const row = rows.find((each) => idOf(each) === volume) ?? (named.length === 1 ? named[0] : undefined);
  const place = stringAt(row, 'dataCenter');
  if (volume === undefined || place === undefined) return wanted;
  if (wanted.dataCenters.length > 0 && !wanted.dataCenters.includes(place))
    throw usage(
      `volume ${volume} is in ${place}, not in ${wanted.dataCenters.join(', ')}`,
      `Use --data-center ${place}.`,
    );
  await ctx.tell(`The volume ${volume} is in ${place}: only there is the pod placed.`);
  return { ...wanted, dataCenters: [place] };
}

export const bodyFor = (body: JsonObject, { gpu, dataCenter }: Offer): JsonObject => ({
  ...body,
  gpu: { ...objectOf(body['gpu']), id: gpu },
  ...(dataCenter === undefined ? {} : { dataCenterIds: [dataCenter] }),
});

export function offerText(offer: Offer): string {
  const { price, stock = 'stock unknown' } = offer;
  const cost = price === undefined ? 'price unknown' : `${formatDollars(price)} an hour`;
  return `${nameOf(offer)} (${cost}, ${stock.toLowerCase()})`;
}

export const OFFER_VIEW: View = {
  noun: ['candidate', 'candidates'],
  id: text('gpu'),
  columns: [
    textColumn('gpu', { cutLast: true }),
    textColumn('dataCenter'),
    { header: 'COST/H', show: money('price'), right: true },
    textColumn('stock'),
  ],
};

export const offerRow = ({ gpu, dataCenter, price, stock }: Offer): JsonObject => ({
  gpu,
  dataCenter: dataCenter ?? 'any',
  ...(price === undefined ? {} : { price }),
  stock: stock ?? 'unknown',
});

/** While `--start-timeout` runs. */
const START_POLL_MS: Milliseconds = 5000;

interface Progressed {
  readonly tries: Tries;
  readonly hasBegun: boolean;
}

interface Round extends Progressed {
  readonly pod: Json | undefined;
  readonly refusal: Failure | undefined;
  /** At the start of the round; undefined if the catalog could not be read. */
  readonly offers: readonly Offer[] | undefined;
}

interface Placement {
  readonly request: CreateRequest;
  readonly wanted: Wanted;
  readonly startMs: number | undefined;
  readonly keyed: KeyedPod;
  /** Called before the first offer is tried. */
  readonly begin: (offers: readonly Offer[]) => Promise<void>;
}

/** One pod per key, none above the price. Wait-ended (9), limit-exceeded (15), or the last refusal. */
export async function place(ctx: CommandContext, placement: Placement, waitMs: number | undefined): Promise<Json> {
  const beganAt = ctx.clock.monotonic();
  const isOnce = waitMs === undefined;
  let progress: Progress | undefined;
  // After the confirmation: both are drawn on one line.
  const show = (): void => {
    if (!isOnce) progress ??= ctx.progress('a candidate with room');
  };
  const begin = async (offers: readonly Offer[]): Promise<void> => {
    await placement.begin(offers);
    show();
  };
  let known: Progressed = { tries: new Map(), hasBegun: false };
  try {
    for (;;) {
      const round = await tryRound(ctx, { ...placement, begin }, { ...known, beganAt, isOnce });
      known = round;
      const { pod, refusal, offers, tries } = round;
      if (pod !== undefined) return pod;
      if (waitMs === undefined || (offers !== undefined && isExhausted(offers, tries))) throw refusal ?? noRoom();
      const passedMs = ctx.clock.monotonic() - beganAt;
      if (passedMs >= waitMs) throw timeOver(waitMs, refusal);
      const what =
        offers === undefined ? (refusal?.message ?? '') : describeOffers(offers, tries, placement.wanted.maxPrice);
      show();
      progress?.update(`a GPU: ${what}; ${formatDuration(passedMs)} of ${formatDuration(waitMs)}`);
      await ctx.clock.sleep(Math.min(waitMs - passedMs, await pauseMs(ctx, refusal)), ctx.signal);
    }
  } finally {
    await progress?.stop();
  }
}

/** At least 15 s with jitter; longer if the service or its rate windows require it. */
async function pauseMs(ctx: CommandContext, refusal: Failure | undefined): Promise<number> {
  const asked = (refusal?.retryAfter ?? 0) * 1000;
  return Math.max(asked, await pauseOf(ctx, LEAST_MS * (1 + ctx.random()), 3));
}

interface RoundOptions extends Progressed {
  /** Monotonic. */
  readonly beganAt: number;
  /** One try per candidate; a failure other than a refusal ends it. */
  readonly isOnce: boolean;
}

/** Fails where no candidate can help: invalid request, no money, no key. */
async function tryRound(ctx: CommandContext, placement: Placement, options: RoundOptions): Promise<Round> {
  const { request, wanted, keyed } = placement;
  const { beganAt, isOnce } = options;
  const { maxPrice } = wanted;
  let { tries, hasBegun } = options;
  let refusal: Failure | undefined;
  let offers: readonly Offer[] | undefined;
  const ended = (pod: Json | undefined): Round => ({ pod, tries, hasBegun, refusal, offers });
  /** The pod of the key, unless it was terminated because it is not what was asked for. */
  const existing = async (): Promise<Json | undefined> => {
    const found = await keyed.find();
    if (found === undefined) return undefined;
    try {
      return await accepted(ctx, placement, found);
    } catch (error) {
      refusal = refusalOf(ctx, error);
      if (refusal.code !== NOT_KEPT) throw error;
      return undefined;
    }
  };
  try {
    const isFirst = !hasBegun;
    const before = isFirst ? await existing() : undefined;
    if (before !== undefined) return ended(before);
    offers = await readOffers(ctx, request.body, wanted, isFirst);
    hasBegun = true;
    if (isFirst) await placement.begin(offers);
    const now = ctx.clock.monotonic();
    const due = isOnce ? offersOnce(offers, maxPrice) : dueOffers(offers, { tries, maxPrice, beganAt, now });
    const meanwhile = due.length === 0 || isFirst ? undefined : await existing();
    if (meanwhile !== undefined) return ended(meanwhile);
    for (const offer of due) {
      try {
        const pod = await keyed.create({ ...request, body: bodyFor(request.body, offer) });
        return ended(await accepted(ctx, placement, pod));
      } catch (error) {
        refusal = refusalOf(ctx, error);
        const consequence = refusal.code === NOT_KEPT ? 'next' : consequenceOf(refusal);
        if (consequence === 'end' || consequence === 'later') throw error;
        const left = consequence === 'leave' ? { isLeft: true as const } : {};
        tries = withRefusal(tries, offer, { at: ctx.clock.monotonic(), why: whyOf(refusal), ...left });
      }
    }
  } catch (error) {
    refusal = refusalOf(ctx, error);
    // After a lost create nothing more is sent.
    if (isOnce || refusal.exit === EXIT.unknown || consequenceOf(refusal) !== 'later') throw error;
  }
  return ended(undefined);
}

function refusalOf(ctx: CommandContext, error: unknown): Failure {
  rethrowUnlessFailure(error, ctx);
  return error;
}

const whyOf = (refusal: Failure): string => {
  if (refusal.code === NOT_KEPT) return refusal.message;
  return refusalClass(refusal) === 'not-allowed' ? 'not allowed' : 'no room';
};

const NOT_KEPT = 'not-kept';

/** Terminates a pod above the price or not started in time, with code `not-kept`. */
async function accepted(ctx: CommandContext, { wanted, startMs, keyed }: Placement, pod: Json): Promise<Json> {
  const cost = numberAt(pod, 'cost');
  if (wanted.maxPrice !== undefined && cost === undefined)
    await ctx.tell(
      `The service does not say what pod ${shownPod(pod)} costs: by the catalog it is within --max-price.`,
    );
  if (wanted.maxPrice !== undefined && cost !== undefined && cost > wanted.maxPrice) {
    const text = `pod ${shownPod(pod)} costs ${formatDollars(cost)} an hour, above --max-price ${formatDollars(wanted.maxPrice)}`;
    throw await notKept(ctx, keyed, pod, text, EXIT.limitExceeded);
  }
  if (startMs === undefined) return pod;
  const started = await untilStarted(ctx, pod, startMs);
  if (started !== undefined) return started;
  const text = `pod ${shownPod(pod)} was not RUNNING within ${formatDuration(startMs)}`;
  throw await notKept(ctx, keyed, pod, text, EXIT.waitEnded);
}

async function notKept(
  ctx: CommandContext,
  keyed: KeyedPod,
  pod: Json,
  text: string,
  exit: typeof EXIT.limitExceeded | typeof EXIT.waitEnded,
): Promise<Failure> {
  const id = idOf(pod);
  if (!keyed.isOwn(pod))
    return new Failure({
      code: 'not-own',
      exit,
      message: `${text}; another run made it, and it was left as it is`,
      hint: sentence`End it: ${berth`pods terminate ${id}`}`,
      id,
    });
  await keyed.terminate(pod);
  const message = `${text}: it was terminated`;
  await ctx.tell(`${message.charAt(0).toUpperCase()}${message.slice(1)}.`);
  return new Failure({ code: NOT_KEPT, exit, message, id });
}

const statusOf = (pod: Json): string => stringAt(pod, 'status') ?? '?';

const ON_ITS_WAY = ['PROVISIONING', 'STARTING'];

/** Undefined at the timeout. Fails with 10 for a pod in ERROR. */
async function untilStarted(ctx: CommandContext, created: Json, limitMs: number): Promise<Json | undefined> {
  const id = asId<'pod'>(idOf(created));
  const began = ctx.clock.monotonic();
  let pod = created;
  while (ON_ITS_WAY.includes(statusOf(pod))) {
    const leftMs = limitMs - (ctx.clock.monotonic() - began);
    if (leftMs <= 0) return undefined;
    await ctx.clock.sleep(Math.min(leftMs, START_POLL_MS), ctx.signal);
    try {
      pod = (await ctx.api.send(rowRequest(PODS, id))).value ?? null;
    } catch (error) {
      // A replica may lag or the service not answer: the timeout ends it.
      rethrowUnlessFailure(error, ctx);
      if (!isNotFound(error) && consequenceOf(error) !== 'later') throw error;
    }
  }
  if (statusOf(pod) !== 'ERROR') return pod;
  throw new Failure({
    code: 'pod-error',
    exit: EXIT.jobFailed,
    message: `pod ${shownPod(pod)} is in ERROR: it will not start on another machine either`,
    hint: sentence`Why: ${berth`pods explain ${id}`}. It costs money until it is ended: ${berth`pods terminate ${id}`}`,
    id,
  });
}

const noRoom = (): Failure =>
  new Failure({
    code: 'no-capacity',
    exit: EXIT.refused,
    message: 'no candidate has room within the price now',
    hint: 'Wait for one with --until-available 6h, or name more with --gpu and --data-center.',
  });

const timeOver = (waitMs: number, refusal: Failure | undefined): Failure =>
  new Failure({
    code: 'wait-ended',
    exit: EXIT.waitEnded,
    message: `waited ${formatDuration(waitMs)} for a candidate with room: nothing was created`,
    hint: refusal === undefined ? undefined : `The last refusal: ${refusal.message}`,
  });

/** Adds to an interrupt how to continue with the key. */
export function withKeyHint(error: unknown, key: string, { id, isSent }: ReturnType<KeyedPod['known']>): unknown {
  if (!isInterrupt(error)) return error;
  const known =
    id !== undefined
      ? `Pod ${id} was created, and costs money.`
      : isSent
        ? sentence`Whether a pod was created is not known: ${berth`pods list`}`
        : 'No pod was created.';
  return error.with({ ...(id === undefined ? {} : { id }), hint: lines(error.hint ?? known, again(key)) });
}
