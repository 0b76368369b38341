import type { RateWindow } from '../../core/api.ts';
import type { Clock } from '../../core/context.ts';
import { RATE_LIMITS } from '../../queue/limits.ts';
import type { MonotonicMs } from '../model/batch.ts';
import { HOUR_MS, type Milliseconds } from '../../core/unit-types.ts';

interface RateBounds {
  readonly concurrency: number;
  readonly rate: number;
}

/** A batch stops when the service asks for a longer wait. */
export const MAX_RETRY_AFTER_MS = HOUR_MS;
const INITIAL_CONCURRENCY = 8;
/** Seconds of success after which a halved rate is restored. */
const RECOVERY_SECONDS = 10;
/** Of the limits that are known. */
const WINDOW_MS: Milliseconds = 10_000;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** When less than this fraction of a window remains, the remaining requests are spread over the time until its reset. */
const SCARCE_FRACTION = 0.2;
/** At thousands of requests per second more than the concurrency is on its way to the disk: sending never waits for a sync. */
const SLOW_SYNC_SECONDS = 0.02;

/** Requests that may be sent at one moment: as many as the rate allows in 0.1 seconds, and at least one. */
const bucketSize = (perSecond: number): number => Math.max(1, perSecond / 10);

/** Why requests wait. */
export interface Backoff {
  readonly sentAt: MonotonicMs;
  readonly throttled: boolean;
  readonly retryAfterMs?: Milliseconds | undefined;
}

/** A first 429 waits for the next window, a second halves the rate, each success raises it. `random` (0 to 1): jitter. */
export function createSendRate(bounds: RateBounds, clock: Pick<Clock, 'monotonic'>, random: () => number) {
  let [concurrency, perSecond] = [Math.min(INITIAL_CONCURRENCY, bounds.concurrency), bounds.rate];
  let windowPerSecond = Number.POSITIVE_INFINITY;
  let [tokens, tokensAt] = [bucketSize(perSecond), clock.monotonic()];
  /** `backoffAt`: failures of requests that were sent before it belong to that backoff. A 429 before `throttledUntil` is a second one. */
  let [blockedUntil, backoffAt, throttledUntil] = new Array<MonotonicMs>(3).fill(Number.NEGATIVE_INFINITY) as [
    MonotonicMs,
    MonotonicMs,
    MonotonicMs,
  ];
  /** Without a success between them. */
  let backoffs = 0;

  const refillPerSecond = (): number => Math.max(0.01, Math.min(perSecond, windowPerSecond));
  const refill = (): number => {
    const now = clock.monotonic();
    const refilled = tokens + (Math.max(0, now - tokensAt) / 1000) * refillPerSecond();
    [tokens, tokensAt] = [Math.min(bucketSize(refillPerSecond()), refilled), now];
    return tokens;
  };
  return {
    get concurrency(): number {
      return concurrency;
    },
    get perSecond(): number {
      return perSecond;
    },
    isBlocked: (): boolean => blockedUntil > clock.monotonic(),
    maxIntents: (): number => Math.max(concurrency, Math.min(32 * concurrency, perSecond * SLOW_SYNC_SECONDS)),
    /** How many may be sent now, `active` being on their way. */
    available: (active: number, maxActive = concurrency): number =>
      blockedUntil > clock.monotonic() ? 0 : Math.max(0, Math.floor(Math.min(maxActive - active, refill()))),
    /** Until the next may be sent. Undefined when an active request must end first. */
    delay: (active: number, maxActive = concurrency): Milliseconds | undefined => {
      if (active >= Math.floor(maxActive)) return undefined;
      const missing = 1 - refill();
      const refillMs = missing <= 0 ? 0 : Math.ceil((missing / refillPerSecond()) * 1000);
      return Math.max(0, blockedUntil - clock.monotonic(), refillMs);
    },
    take: (count = 1): void => {
      tokens = refill() - count;
    },
    giveBack: (): void => {
      tokens += 1;
    },
    speedUp: (): void => {
      backoffs = 0;
      concurrency = Math.min(bounds.concurrency, concurrency + 1 / concurrency);
      perSecond = Math.min(bounds.rate, perSecond + bounds.rate / (2 * RECOVERY_SECONDS) / Math.max(1, perSecond));
    },
    /** Once for all requests sent before the backoff started. */
    backOff: ({ sentAt, throttled, retryAfterMs = throttled ? WINDOW_MS : undefined }: Backoff): void => {
      const now = clock.monotonic();
      const isSame = sentAt <= backoffAt;
      if (!isSame) backoffs += 1;
      const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(20, Math.max(0, backoffs - 1)));
      const waitMs =
        retryAfterMs === undefined
          ? backoffMs * (0.5 + random() / 2)
          : retryAfterMs + random() * Math.min(1000, retryAfterMs / 4);
      blockedUntil = Math.max(blockedUntil, now + waitMs);
      if (isSame) return;
      if (!throttled || now < throttledUntil) {
        concurrency = Math.max(1, concurrency / 2);
        perSecond = Math.max(Math.min(1, bounds.rate), perSecond / 2);
      }
      if (throttled) throttledUntil = blockedUntil + WINDOW_MS;
      [backoffAt, tokens] = [now, Math.min(1, tokens)];
    },
    /** A reset in over an hour does not block: the next 429 stops the batch (specification 8.1). */
    applyWindows: (windows: readonly RateWindow[]): void => {
      windowPerSecond = Number.POSITIVE_INFINITY;
      for (const { remaining, resetSeconds, quota } of windows) {
        if (remaining === undefined || resetSeconds === undefined) continue;
        const resetMs = resetSeconds * 1000;
        if (remaining <= 0 && resetMs <= MAX_RETRY_AFTER_MS)
          blockedUntil = Math.max(blockedUntil, clock.monotonic() + resetMs);
        else if (remaining > 0 && (quota === undefined || remaining < quota * SCARCE_FRACTION))
          windowPerSecond = Math.min(windowPerSecond, remaining / Math.max(1, resetSeconds));
      }
    },
  };
}

/** `poll`: status and retry requests. Each kind has a rate of its own. */
export type RequestKind = 'submit' | 'poll';

/** Longest wait of one kind that the other kind asked for: results must be fetched before they expire. */
const MAX_OTHER_WAIT_MS = 10_000;

/** A failure of one kind slows down both. `bounds` are for submissions; `shards` share the limits of the service. */
export function createRequestRates(bounds: RateBounds, shards: number, clock: Clock, random: () => number) {
  // The service limits status requests separately, at twice the rate of submissions.
  const pollRate = Math.max(RATE_LIMITS.status.rate / shards, 2 * bounds.rate);
  const submit = createSendRate(bounds, clock, random);
  const poll = createSendRate({ concurrency: bounds.concurrency, rate: pollRate }, clock, random);
  return {
    submit,
    poll,
    backOff: (kind: RequestKind, why: Backoff): void => {
      const [own, other] = kind === 'submit' ? [submit, poll] : [poll, submit];
      const { retryAfterMs } = why;
      own.backOff(why);
      other.backOff({
        ...why,
        retryAfterMs: retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, MAX_OTHER_WAIT_MS),
      });
    },
    applyWindows: (windows: readonly RateWindow[]): void => {
      for (const rate of [submit, poll]) rate.applyWindows(windows);
    },
  };
}

export type RequestRates = ReturnType<typeof createRequestRates>;
