import type { RateWindow } from '../../core/api.ts';

/** What a pace never exceeds. */
export interface PaceBounds {
  /** Requests at once. */
  readonly concurrency: number;
  /** Requests a second. */
  readonly rate: number;
}

/** How fast one kind of request may go out now. A value: each thing that happens makes the next one of it. */
export interface Pace {
  readonly bounds: PaceBounds;
  /** Requests at once and requests a second, as they stand. */
  readonly atOnce: number;
  readonly perSecond: number;
  /** Requests that may go out without waiting, as of a moment. */
  readonly credit: number;
  readonly creditAt: number;
  /** Nothing goes out before this. */
  readonly closedUntil: number;
  /** When the latest storm began; who was sent before belongs to it. */
  readonly stormAt: number;
  /** Storms without a success between them. */
  readonly storms: number;
  /** Requests a second that the service's windows leave. */
  readonly budget: number;
}

/**
 * Known limits of the queue API per endpoint and user (contract rules, Queue API): 1000 and 2000 requests in any ten
 * seconds, and so many at once. A little less a second leaves room for what goes out at one moment.
 */
export const KNOWN_LIMITS = {
  run: { rate: 99, concurrency: 200 },
  status: { rate: 198, concurrency: 400 },
} as const;

const FIRST_AT_ONCE = 8;
/** A halved rate is back after so many seconds of success. */
const RECOVERY_SECONDS = 10;
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;
/** Where less than this part of a window is left, what is left is spread over the time until it resets. */
const SCARCE = 0.2;

/** A pace that begins at `now`. All times of a pace are milliseconds of the monotonic clock. */
export const createPace = (bounds: PaceBounds, now: number): Pace => ({
  bounds,
  atOnce: Math.min(FIRST_AT_ONCE, bounds.concurrency),
  perSecond: bounds.rate,
  credit: burst(bounds.rate),
  creditAt: now,
  closedUntil: Number.NEGATIVE_INFINITY,
  stormAt: Number.NEGATIVE_INFINITY,
  storms: 0,
  budget: Number.POSITIVE_INFINITY,
});

/** Requests that may go out at one moment: what a tenth of a second gives, and always one. */
const burst = (perSecond: number): number => Math.max(1, perSecond / 10);

const speed = ({ perSecond, budget }: Pace): number => Math.max(0.01, Math.min(perSecond, budget));

/**
 * Milliseconds until another request may go out where `active` are under way and `most` may be; undefined until one of
 * those ends.
 */
export function waitOf(pace: Pace, active: number, now: number, most = pace.atOnce): number | undefined {
  if (active >= Math.floor(most)) return undefined;
  const closed = Math.max(0, pace.closedUntil - now);
  const missing = 1 - creditAt(pace, now);
  return Math.max(closed, missing <= 0 ? 0 : Math.ceil((missing / speed(pace)) * 1000));
}

/**
 * Intents that may wait for their turn on the wire: as many as requests at once; where thousands a second go out, what
 * goes out while a disk syncs, or the wire would wait for the disk. After a crash each of them is unknown.
 */
export const intentsAhead = ({ atOnce, perSecond }: Pace): number =>
  Math.max(atOnce, Math.min(32 * atOnce, perSecond * LONG_SYNC_SECONDS));

const LONG_SYNC_SECONDS = 0.02;

const creditAt = (pace: Pace, now: number): number =>
  Math.min(burst(speed(pace)), pace.credit + (Math.max(0, now - pace.creditAt) / 1000) * speed(pace));

/** How many requests may go out now where `active` are under way and `most` may be. */
export const roomOf = (pace: Pace, active: number, now: number, most: number): number =>
  pace.closedUntil > now ? 0 : Math.max(0, Math.floor(Math.min(most - active, creditAt(pace, now))));

/** Requests go out. */
export const sent = (pace: Pace, now: number, count = 1): Pace => ({
  ...pace,
  credit: creditAt(pace, now) - count,
  creditAt: now,
});

/** What was to go out did not. */
export const unsent = (pace: Pace): Pace => ({ ...pace, credit: pace.credit + 1 });

/** The service took a request: a little more at once, a little faster. */
export function eased(pace: Pace): Pace {
  const { bounds, atOnce, perSecond } = pace;
  if (pace.storms === 0 && atOnce === bounds.concurrency && perSecond === bounds.rate) return pace;
  return {
    ...pace,
    storms: 0,
    atOnce: Math.min(bounds.concurrency, atOnce + 1 / atOnce),
    perSecond: Math.min(bounds.rate, perSecond + bounds.rate / (2 * RECOVERY_SECONDS) / Math.max(1, perSecond)),
  };
}

/**
 * The service said no for now (429), or could not be reached, to a request that went out at `sentAt`. Half as many and
 * half as fast from here on; what was sent before the storm began belongs to it and halves nothing again. Nothing goes
 * out for what the service asks, or for a time that doubles with every storm; `random` (0 up to 1) keeps many clients
 * from coming back at once.
 */
export function struck(pace: Pace, sentAt: number, now: number, askedMs: number | undefined, random: number): Pace {
  const sameStorm = sentAt <= pace.stormAt;
  const storms = sameStorm ? pace.storms : pace.storms + 1;
  const backoffMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(20, Math.max(0, storms - 1)));
  const waitMs =
    askedMs === undefined ? backoffMs * (0.5 + random / 2) : askedMs + random * Math.min(1000, askedMs / 4);
  const closedUntil = Math.max(pace.closedUntil, now + waitMs);
  if (sameStorm) return { ...pace, closedUntil };
  return {
    ...pace,
    closedUntil,
    storms,
    stormAt: now,
    atOnce: Math.max(1, pace.atOnce / 2),
    perSecond: Math.max(Math.min(1, pace.bounds.rate), pace.perSecond / 2),
    credit: Math.min(1, pace.credit),
  };
}

/** A wait that a service asks for and that nobody can want: milliseconds. */
export const LONGEST_ASKED_MS = 3_600_000;

/**
 * What the windows of the latest answer leave (specification 8.1). One that is used up and resets in more than an hour is
 * not waited for in silence: the next request is told so (429), and that stops the batch.
 */
export function budgeted(pace: Pace, windows: readonly RateWindow[], now: number): Pace {
  let budget = Number.POSITIVE_INFINITY;
  let closedUntil = pace.closedUntil;
  for (const { remaining, resetSeconds, quota } of windows) {
    if (remaining === undefined || resetSeconds === undefined) continue;
    const resetMs = resetSeconds * 1000;
    if (remaining <= 0) closedUntil = Math.max(closedUntil, resetMs > LONGEST_ASKED_MS ? closedUntil : now + resetMs);
    else if (quota === undefined || remaining < quota * SCARCE)
      budget = Math.min(budget, remaining / Math.max(1, resetSeconds));
  }
  return { ...pace, budget, closedUntil };
}

/**
 * What the wait that one kind of request was asked for means for the others: they are slowed too, but results must be
 * fetched in time, so they try again soon.
 */
export const borrowedWait = (askedMs: number | undefined): number | undefined =>
  askedMs === undefined ? undefined : Math.min(askedMs, LONGEST_BORROWED_MS);

const LONGEST_BORROWED_MS = 10_000;
