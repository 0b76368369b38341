import type { Failure } from '../../core/failure.ts';

/** What keeps a batch from going as fast as it could. */
export interface Trouble {
  /** Nothing has worked since then: milliseconds of the monotonic clock. Undefined where some requests work. */
  readonly since: number | undefined;
  /** The part of the latest requests that came to nothing: 0 to 1. */
  readonly share: number;
  /** The latest failure, in words. */
  readonly says: string;
}

/** Requests that did not come to an answer, for a person who wonders why a batch is slow. */
export interface Health {
  /** A request did what it should, or failed, at a moment in milliseconds of the monotonic clock. */
  readonly request: (failure: Failure | undefined, now: number) => void;
  /** Undefined where all is well. */
  readonly trouble: () => Trouble | undefined;
  /** Of all requests: those that failed, and the latest failure; undefined where they were few. */
  readonly failed: () => { readonly count: number; readonly of: number; readonly says: string } | undefined;
}

/** The weight of the latest request in the share of those that fail. */
const WEIGHT = 0.03;
/** From this share on, after so many failures, requests that fail are what makes a batch slow. */
const FLAKY = 0.05;
const LEAST_FAILURES = 10;

export function createHealth(): Health {
  let [share, count, requests] = [0, 0, 0];
  let since: number | undefined;
  let says: string | undefined;
  return {
    request: (failure, now) => {
      requests += 1;
      share += WEIGHT * ((failure === undefined ? 0 : 1) - share);
      if (failure === undefined) {
        since = undefined;
        return;
      }
      count += 1;
      since ??= now;
      says = failure.message;
    },
    trouble: () => {
      if (says === undefined) return undefined;
      const flaky = share >= FLAKY && count >= LEAST_FAILURES;
      return since === undefined && !flaky ? undefined : { since, share: flaky ? share : 0, says };
    },
    failed: () =>
      says === undefined || count < LEAST_FAILURES || count < requests * FLAKY
        ? undefined
        : { count, of: requests, says },
  };
}
