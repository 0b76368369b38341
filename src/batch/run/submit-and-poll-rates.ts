import type { RateWindow } from '../../core/api.ts';
import type { Clock } from '../../core/context.ts';
import { RATE_LIMITS } from '../../queue/limits.ts';
import type { GrantedRate } from './granted-rate.ts';
import { applyWindows, backOff, createSendRate, type RateBounds, type SendRate } from './adaptive-rate.ts';
import type { RequestKind } from '../model/run-records.ts';

/** The rates of a run. A failure of one kind slows down both. */
export interface RequestRates {
  submit: SendRate;
  poll: SendRate;
  /** What the drivers of all batches at this endpoint have agreed on; without limits for a driver that shares nothing. */
  readonly granted: Readonly<Record<RequestKind, GrantedRate>>;
  /** Slows down after the failure of a request that was sent at `sentAt` (milliseconds of the monotonic clock). */
  backOff(kind: RequestKind, sentAt: number, retryAfterMs?: number): void;
  /** Applies the rate windows of an answer. */
  readonly applyWindows: (windows: readonly RateWindow[]) => void;
}

/** Longest wait of one kind that the other kind asked for: results must be fetched before they expire. */
const MAX_OTHER_WAIT_MS = 10_000;

/** Creates the rates of a run. `bounds` are those of submissions. */
export function createRequestRates(
  bounds: RateBounds,
  granted: RequestRates['granted'],
  clock: Clock,
  random: () => number,
): RequestRates {
  const { concurrency, rate } = bounds;
  // The service limits status requests separately, at twice the rate of submissions.
  const pollBounds = { concurrency, rate: Math.max(RATE_LIMITS.status.rate, 2 * rate) };
  const started = clock.monotonic();
  const rates: RequestRates = {
    submit: createSendRate(bounds, started),
    poll: createSendRate(pollBounds, started),
    granted,
    backOff: (kind, sentAt, retryAfterMs) => {
      const now = clock.monotonic();
      const other = kind === 'submit' ? 'poll' : 'submit';
      const otherMs = retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, MAX_OTHER_WAIT_MS);
      rates[kind] = backOff(rates[kind], sentAt, now, retryAfterMs, random());
      rates[other] = backOff(rates[other], sentAt, now, otherMs, random());
    },
    applyWindows: (windows) => {
      const now = clock.monotonic();
      rates.submit = applyWindows(rates.submit, windows, now);
      rates.poll = applyWindows(rates.poll, windows, now);
    },
  };
  return rates;
}
