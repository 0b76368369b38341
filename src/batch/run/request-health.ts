import type { Failure } from '../../core/failure.ts';
import type { MonotonicMs } from '../model/run-end.ts';

/** Why a batch is slow: requests fail. */
export interface RequestProblem {
  /** No request has succeeded since this time; undefined when some succeed. */
  readonly failingSince: MonotonicMs | undefined;
  /** The fraction of recent requests that failed, 0 to 1. */
  readonly failedFraction: number;
  readonly message: string;
}

/** Failed requests of a whole run. */
export interface FailedRequests {
  readonly count: number;
  readonly total: number;
  readonly message: string;
}

/** Weight of the latest request in the moving average of failures. */
const WEIGHT = 0.03;
/** Failures are a problem when they reach both this fraction and this number. */
const MIN_FAILED_FRACTION = 0.05;
const MIN_FAILURES = 10;

export function createRequestHealth() {
  let [failedFraction, count, total] = [0, 0, 0];
  let failingSince: MonotonicMs | undefined;
  let message: string | undefined;
  return {
    /** Call it as `RunObserver.onRequest`. */
    onRequest: (failure: Failure | undefined, since: MonotonicMs | undefined): void => {
      total += 1;
      failedFraction += WEIGHT * ((failure === undefined ? 0 : 1) - failedFraction);
      failingSince = since;
      if (failure === undefined) return;
      count += 1;
      ({ message } = failure);
    },
    problem: (): RequestProblem | undefined => {
      if (message === undefined) return undefined;
      const many = failedFraction >= MIN_FAILED_FRACTION && count >= MIN_FAILURES;
      if (failingSince === undefined && !many) return undefined;
      return { failingSince, failedFraction: many ? failedFraction : 0, message };
    },
    /** Returns undefined when few requests failed. */
    failed: (): FailedRequests | undefined =>
      message === undefined || count < MIN_FAILURES || count < total * MIN_FAILED_FRACTION
        ? undefined
        : { count, total, message },
  };
}
