import type { EpochMs, Milliseconds } from '../unit-types.ts';

/** Time. */
export interface Clock {
  /** The wall clock. It may jump forward or back: use it only for dates. */
  now(): EpochMs;
  /** Time since an arbitrary start. It never goes back, and changes of the wall clock do not affect it: use it for spans. */
  monotonic(): Milliseconds;
  /** Waits for a span. An abort of the signal ends the wait early; the promise then rejects with the signal's reason. */
  sleep(milliseconds: Milliseconds, signal?: AbortSignal): Promise<void>;
  /**
   * Returns a signal that aborts after a span of real time, even when the clock is moved: a limit for an exchange with
   * a peer that may never answer. Cancel it when the exchange has ended, because a running deadline keeps the process
   * alive.
   */
  deadline(milliseconds: Milliseconds): { readonly signal: AbortSignal; cancel(): void };
}
