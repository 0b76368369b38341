import type { Clock } from '../../core/context.ts';
import type { Failure } from '../../core/failure.ts';
import type { Stopped, StopReason } from '../model/run-records.ts';

/** Starts and stops the sending of requests. */
export interface RunControl {
  /**
   * Stops submissions, and with `now` polls too; with `when-ended`, jobs at the service are still polled to their end. The
   * first reason is kept.
   */
  stop(reason: StopReason, how: 'now' | 'when-ended', failure?: unknown): void;
  readonly stopped: () => Stopped | undefined;
  readonly maySubmit: () => boolean;
  readonly mayPoll: () => boolean;
  /** Call it when something changed: the run's step runs soon. */
  readonly wake: () => void;
}

export function createRunControl(wake: () => void): RunControl {
  let stopped: Stopped | undefined;
  let submitting = true;
  let polling = true;
  return {
    stop: (reason, how, failure) => {
      submitting = false;
      if (how === 'now') polling = false;
      stopped ??= { reason, ...(failure === undefined ? {} : { failure }) };
      wake();
    },
    stopped: () => stopped,
    maySubmit: () => submitting,
    mayPoll: () => polling,
    wake,
  };
}

/** Stops a run when the service does not recover. */
export interface FailureMonitor {
  /** A request succeeded. */
  onSuccess(): void;
  /** The service was not reached, failed, or may or may not have accepted a submission. */
  onFailure(failure: Failure): void;
}

/** Milliseconds without a success, while requests fail, after which the batch stops. */
const MAX_FAILING_MS = 120_000;
/** Submissions without a readable answer in a row after which the batch stops: each may have been accepted. */
const MAX_UNKNOWN_IN_ROW = 20;

export function createFailureMonitor(
  clock: Clock,
  control: RunControl,
  onRequest: (failure: Failure | undefined) => void,
): FailureMonitor {
  let failingSince: number | undefined;
  let unknownInRow = 0;
  return {
    onSuccess: () => {
      onRequest(undefined);
      failingSince = undefined;
      unknownInRow = 0;
    },
    onFailure: (failure) => {
      const now = clock.monotonic();
      failingSince ??= now;
      onRequest(failure);
      unknownInRow += failure.code === 'outcome-unknown' ? 1 : 0;
      if (now - failingSince > MAX_FAILING_MS || unknownInRow >= MAX_UNKNOWN_IN_ROW)
        control.stop('error', 'now', failure);
    },
  };
}
