import type { RateWindow } from '../../core/api.ts';
import type { Clock } from '../../core/context.ts';
import { RATE_LIMITS } from '../../queue/limits.ts';
import { MAX_RETRY_AFTER_MS, type MonotonicMs, type RequestKind } from '../model/run-end.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

interface RateBounds {
  readonly concurrency: number;
  readonly rate: number;
}

/** A first 429 waits for the next window, a second halves the rate, each success raises it. Immutable. */
export interface SendRate {
  readonly bounds: RateBounds;
  readonly concurrency: number;
  readonly perSecond: number;
  /** At the time `tokensAt`; each allows one request. */
  readonly tokens: number;
  readonly tokensAt: MonotonicMs;
  readonly blockedUntil: MonotonicMs;
  /** When the latest backoff began: failures of requests that were sent earlier belong to it. */
  readonly backoffAt: MonotonicMs;
  /** Without a success between them. */
  readonly backoffs: number;
  /** A 429 before this is a second one. */
  readonly throttledUntil: MonotonicMs;
  readonly windowPerSecond: number;
}

const INITIAL_CONCURRENCY = 8;
/** Seconds of success after which a halved rate is restored. */
const RECOVERY_SECONDS = 10;
/** Of the limits that are known. */
const WINDOW_MS: Milliseconds = 10_000;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** When less than this fraction of a window remains, the remaining requests are spread over the time until its reset. */
const SCARCE_FRACTION = 0.2;

export const createSendRate = (bounds: RateBounds, now: MonotonicMs): SendRate => ({
  bounds,
  concurrency: Math.min(INITIAL_CONCURRENCY, bounds.concurrency),
  perSecond: bounds.rate,
  tokens: bucketSize(bounds.rate),
  tokensAt: now,
  blockedUntil: Number.NEGATIVE_INFINITY,
  backoffAt: Number.NEGATIVE_INFINITY,
  backoffs: 0,
  throttledUntil: Number.NEGATIVE_INFINITY,
  windowPerSecond: Number.POSITIVE_INFINITY,
});

/** Requests that may be sent at one moment: as many as the rate allows in 0.1 seconds, and at least one. */
const bucketSize = (perSecond: number): number => Math.max(1, perSecond / 10);

const refillPerSecond = ({ perSecond, windowPerSecond }: SendRate): number =>
  Math.max(0.01, Math.min(perSecond, windowPerSecond));

/** Undefined when an active request must end first. */
export function delayUntilNext(
  rate: SendRate,
  active: number,
  now: MonotonicMs,
  maxActive = rate.concurrency,
): Milliseconds | undefined {
  if (active >= Math.floor(maxActive)) return undefined;
  const blockedMs = Math.max(0, rate.blockedUntil - now);
  const missing = 1 - tokensAt(rate, now);
  return Math.max(blockedMs, missing <= 0 ? 0 : Math.ceil((missing / refillPerSecond(rate)) * 1000));
}

/** At thousands of requests per second more than the concurrency: sending never waits for a sync. */
export const maxIntents = ({ concurrency, perSecond }: SendRate): number =>
  Math.max(concurrency, Math.min(32 * concurrency, perSecond * SLOW_SYNC_SECONDS));

const SLOW_SYNC_SECONDS = 0.02;

const tokensAt = (rate: SendRate, now: MonotonicMs): number =>
  Math.min(
    bucketSize(refillPerSecond(rate)),
    rate.tokens + (Math.max(0, now - rate.tokensAt) / 1000) * refillPerSecond(rate),
  );

export const availableRequests = (rate: SendRate, active: number, now: MonotonicMs, maxActive: number): number =>
  rate.blockedUntil > now ? 0 : Math.max(0, Math.floor(Math.min(maxActive - active, tokensAt(rate, now))));

export const takeTokens = (rate: SendRate, now: MonotonicMs, count = 1): SendRate => ({
  ...rate,
  tokens: tokensAt(rate, now) - count,
  tokensAt: now,
});

export const returnToken = (rate: SendRate): SendRate => ({ ...rate, tokens: rate.tokens + 1 });

export function speedUp(rate: SendRate): SendRate {
  const { bounds, concurrency, perSecond } = rate;
  if (rate.backoffs === 0 && concurrency === bounds.concurrency && perSecond === bounds.rate) return rate;
  return {
    ...rate,
    backoffs: 0,
    concurrency: Math.min(bounds.concurrency, concurrency + 1 / concurrency),
    perSecond: Math.min(bounds.rate, perSecond + bounds.rate / (2 * RECOVERY_SECONDS) / Math.max(1, perSecond)),
  };
}

/** Why requests wait. */
export interface Backoff {
  readonly sentAt: MonotonicMs;
  readonly throttled: boolean;
  readonly retryAfterMs?: Milliseconds | undefined;
}

/** Once for all requests sent before the backoff started. `random` (0 to 1) adds jitter. */
export function backOff(
  rate: SendRate,
  now: MonotonicMs,
  { sentAt, throttled, retryAfterMs = throttled ? WINDOW_MS : undefined }: Backoff,
  random: number,
): SendRate {
  const sameBackoff = sentAt <= rate.backoffAt;
  const backoffs = sameBackoff ? rate.backoffs : rate.backoffs + 1;
  const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(20, Math.max(0, backoffs - 1)));
  const waitMs =
    retryAfterMs === undefined
      ? backoffMs * (0.5 + random / 2)
      : retryAfterMs + random * Math.min(1000, retryAfterMs / 4);
  const blockedUntil = Math.max(rate.blockedUntil, now + waitMs);
  if (sameBackoff) return { ...rate, blockedUntil };
  const slows = !throttled || now < rate.throttledUntil;
  return {
    ...rate,
    blockedUntil,
    backoffs,
    backoffAt: now,
    throttledUntil: throttled ? blockedUntil + WINDOW_MS : rate.throttledUntil,
    concurrency: slows ? Math.max(1, rate.concurrency / 2) : rate.concurrency,
    perSecond: slows ? Math.max(Math.min(1, rate.bounds.rate), rate.perSecond / 2) : rate.perSecond,
    tokens: Math.min(1, rate.tokens),
  };
}

/** A reset in over an hour does not block: the next 429 stops the batch (specification 8.1). */
export function applyWindows(rate: SendRate, windows: readonly RateWindow[], now: MonotonicMs): SendRate {
  let windowPerSecond = Number.POSITIVE_INFINITY;
  let blockedUntil = rate.blockedUntil;
  for (const { remaining, resetSeconds, quota } of windows) {
    if (remaining === undefined || resetSeconds === undefined) continue;
    const resetMs = resetSeconds * 1000;
    if (remaining <= 0)
      blockedUntil = Math.max(blockedUntil, resetMs > MAX_RETRY_AFTER_MS ? blockedUntil : now + resetMs);
    else if (quota === undefined || remaining < quota * SCARCE_FRACTION)
      windowPerSecond = Math.min(windowPerSecond, remaining / Math.max(1, resetSeconds));
  }
  return { ...rate, windowPerSecond, blockedUntil };
}

/** Longest wait of one kind that the other kind asked for: results must be fetched before they expire. */
const MAX_OTHER_WAIT_MS = 10_000;

/** A failure of one kind slows down both. `bounds` are for submissions. */
export function createRequestRates(
  bounds: RateBounds & { readonly shards?: number },
  clock: Clock,
  random: () => number,
) {
  const { concurrency, rate, shards = 1 } = bounds;
  // The service limits status requests separately, at twice the rate of submissions.
  const pollBounds = { concurrency, rate: Math.max(RATE_LIMITS.status.rate / shards, 2 * rate) };
  const started = clock.monotonic();
  const rates = {
    submit: createSendRate(bounds, started),
    poll: createSendRate(pollBounds, started),
    backOff: (kind: RequestKind, why: Backoff): void => {
      const now = clock.monotonic();
      const other = kind === 'submit' ? 'poll' : 'submit';
      const { retryAfterMs } = why;
      const otherMs = retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, MAX_OTHER_WAIT_MS);
      rates[kind] = backOff(rates[kind], now, why, random());
      rates[other] = backOff(rates[other], now, { ...why, retryAfterMs: otherMs }, random());
    },
    applyWindows: (windows: readonly RateWindow[]): void => {
      const now = clock.monotonic();
      rates.submit = applyWindows(rates.submit, windows, now);
      rates.poll = applyWindows(rates.poll, windows, now);
    },
  };
  return rates;
}

export type RequestRates = ReturnType<typeof createRequestRates>;
