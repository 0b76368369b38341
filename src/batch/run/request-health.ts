import type { Failure } from '../../core/failure.ts';
import type { MonotonicMs } from '../model/run-end.ts';

export interface RequestProblem {
  /** Undefined when some requests succeed. */
  readonly failingSince: MonotonicMs | undefined;
  /** Of recent requests, 0 to 1. */
  readonly failedFraction: number;
  readonly message: string;
}

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
    /** Undefined when few requests failed. */
    failed: (): FailedRequests | undefined =>
      message === undefined || count < MIN_FAILURES || count < total * MIN_FAILED_FRACTION
        ? undefined
        : { count, total, message },
  };
}
