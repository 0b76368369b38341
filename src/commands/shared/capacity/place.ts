import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, isInterrupt, isNotFound, rethrowUnlessFailure } from '../../../core/failure.ts';
import { asId } from '../../../core/ids.ts';
import { numberAt, stringAt, type Json } from '../../../core/json.ts';
import { berth, lines, sentence } from '../../../core/message.ts';
import { formatDollars, formatDuration } from '../../../core/units.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';
import type { CommandContext, Progress } from '../../../cli/model/context.ts';
import { rowRequest } from '../../../cli/resource/identity/requests.ts';
import type { CreateRequest } from '../../../cli/resource/write.ts';
import { nextInterval } from '../../../cli/run/pace.ts';
import { idOf } from '../../../output/view.ts';
import type { Offer, Wanted } from '../../../create/candidates.ts';
import { consequenceOf, refusalClass } from '../../../create/refusals.ts';
import {
  describeOffers,
  dueOffers,
  isExhausted,
  LEAST_MS,
  offersOnce,
  withRefusal,
  type Tries,
} from '../../../create/wait.ts';
import { PODS } from '../collections.ts';
import { again, type KeyedPod } from './keyed-create.ts';
import { readAttempts } from './memory.ts';
import { bodyFor, readOffers } from './offers.ts';
import { shownPod } from './pod-of-key.ts';

/** How often the status of a new pod is read while `--start-timeout` runs. */
const START_POLL_MS: Milliseconds = 5000;

/** What is known from one round over the candidates to the next. */
interface Progressed {
  readonly tries: Tries;
  /** The pod of the key was looked for, and what is wanted was held against the catalog. */
  readonly hasBegun: boolean;
}

/** What one round over the candidates came to. */
interface Round extends Progressed {
  readonly pod: Json | undefined;
  /** The last refusal of this round. */
  readonly refusal: Failure | undefined;
  /** The offers as the round began; undefined where the catalog could not be read. */
  readonly offers: readonly Offer[] | undefined;
}

/** What the rounds of one wait have in common. */
export interface Placement {
  readonly request: CreateRequest;
  readonly wanted: Wanted;
  readonly startMs: number | undefined;
  readonly keyed: KeyedPod;
  /** Called with the offers before the first of them is tried. */
  readonly begin: (offers: readonly Offer[]) => Promise<void>;
}

/**
 * Creates a pod by a plan: exactly one with the key, none above the price. Fails with wait-ended (9) when the time is over,
 * with limit-exceeded (15) for a pod above the price that is not kept, and with the last refusal where nothing is waited for.
 */
export async function place(ctx: CommandContext, placement: Placement, waitMs: number | undefined): Promise<Json> {
  const beganAt = ctx.clock.monotonic();
  const isOnce = waitMs === undefined;
  let progress: Progress | undefined;
  // After the question whether to create it: both are drawn on one line.
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

/** Between two rounds: at least 15 s with jitter, what the service asks for, and what is left of its rate windows. */
async function pauseMs(ctx: CommandContext, refusal: Failure | undefined): Promise<number> {
  const asked = (refusal?.retryAfter ?? 0) * 1000;
  return Math.max(asked, await nextInterval(ctx, 3, LEAST_MS * (1 + ctx.random())));
}

interface RoundOptions extends Progressed {
  /** By the monotonic clock. */
  readonly beganAt: number;
  /** Each candidate is tried once, and a failure that is no refusal ends it. */
  readonly isOnce: boolean;
}

/**
 * Looks for the pod of the key, and tries the candidates whose turn it is. Fails where no candidate can help: a wrong
 * request, no money, no key.
 */
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
    if (isOnce || consequenceOf(refusal) !== 'later') throw error;
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

/** The code of a pod that was created, and was terminated because it is not what was asked for. */
const NOT_KEPT = 'not-kept';

/**
 * A pod that may be kept: its price is within the limit, and it runs in time where that is asked for. Otherwise it is
 * terminated, which is said, and the failure has the code `not-kept`.
 */
export async function accepted(ctx: CommandContext, { wanted, startMs, keyed }: Placement, pod: Json): Promise<Json> {
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
  if (!(await keyed.isOwn(pod)))
    return new Failure({
      code: 'not-own',
      exit,
      message: `${text}; another machine made it, and it was left as it is`,
      hint: sentence`End it: ${berth`pods terminate ${id}`}`,
      id,
    });
  await keyed.terminate(pod);
  const message = `${text}: it was terminated`;
  await ctx.tell(`${message.charAt(0).toUpperCase()}${message.slice(1)}.`);
  return new Failure({ code: NOT_KEPT, exit, message, id });
}

const statusOf = (pod: Json): string => stringAt(pod, 'status') ?? '?';

/** Statuses of a pod that is on its way. */
const ON_ITS_WAY = ['PROVISIONING', 'STARTING'];

/** The pod once it is RUNNING or has ended its start; undefined when the time is over. Fails with 10 for one in ERROR. */
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
      // A replica may lag, and the service may not answer for a while: the limit ends it.
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
    exit: refusal?.exit === EXIT.unknown ? EXIT.unknown : EXIT.waitEnded,
    message:
      refusal?.exit === EXIT.unknown
        ? `waited ${formatDuration(waitMs)}, and it is not known whether a pod was created`
        : `waited ${formatDuration(waitMs)} for a candidate with room: nothing was created`,
    hint: refusal === undefined ? undefined : `The last refusal: ${refusal.message}`,
  });

/** Adds to an interrupt what is known of the pod of a key, and how the create goes on. */
export async function withKeyHint(ctx: CommandContext, error: unknown, key: string): Promise<unknown> {
  if (!isInterrupt(error)) return error;
  const attempts = await readAttempts(ctx, key);
  const id = attempts.findLast(({ state }) => state === 'made' || state === 'seen')?.pod;
  const isSent = attempts.some(({ state }) => state === 'sent');
  const known =
    id !== undefined
      ? `Pod ${id} was created, and costs money.`
      : isSent
        ? sentence`Whether a pod was created is not known: ${berth`pods list`}`
        : 'No pod was created.';
  return error.with({ ...(id === undefined ? {} : { id }), hint: lines(error.hint ?? known, again(key)) });
}
