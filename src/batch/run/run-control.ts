import type { Clock } from '../../core/context.ts';
import type { Failure } from '../../core/failure.ts';
import type { MonotonicMs, Stopped, StopReason } from '../model/run-end.ts';

/** Starts and stops the sending of requests. */
export function createRunControl(wake: () => void) {
  let stopped: Stopped | undefined;
  let submitting = true;
  let polling = true;
  return {
    /**
     * Stops submissions, and with `now` polls too; with `when-ended`, jobs at the service are still polled to their end. The
     * first reason is kept.
     */
    stop: (reason: StopReason, how: 'now' | 'when-ended', failure?: unknown): void => {
      submitting = false;
      if (how === 'now') polling = false;
      stopped ??= { reason, ...(failure === undefined ? {} : { failure }) };
      wake();
    },
    stopped: (): Stopped | undefined => stopped,
    maySubmit: (): boolean => submitting,
    mayPoll: (): boolean => polling,
    /** Call it when something changed: the run's step runs soon. */
    wake,
  };
}

export type RunControl = ReturnType<typeof createRunControl>;

/** Milliseconds without a success, while requests fail, after which the batch stops. */
const MAX_FAILING_MS = 120_000;
/** Submissions without a readable answer in a row after which the batch stops: each may have been accepted. */
const MAX_UNKNOWN_IN_ROW = 20;

/**
 * Called after each request: with undefined when it succeeded, or with its failure and the time of the first one since a
 * success.
 */
export type OnRequest = (failure: Failure | undefined, failingSince: MonotonicMs | undefined) => void;

/** Stops a run when the service does not recover. */
export function createFailureMonitor(clock: Clock, control: RunControl, onRequest: OnRequest) {
  let failingSince: MonotonicMs | undefined;
  let unknownInRow = 0;
  return {
    /** A request succeeded. */
    onSuccess: (): void => {
      onRequest(undefined, undefined);
      failingSince = undefined;
      unknownInRow = 0;
    },
    /** The service was not reached, failed, or may or may not have accepted a submission. */
    onFailure: (failure: Failure): void => {
      const now = clock.monotonic();
      failingSince ??= now;
      onRequest(failure, failingSince);
      unknownInRow += failure.code === 'outcome-unknown' ? 1 : 0;
      if (now - failingSince > MAX_FAILING_MS || unknownInRow >= MAX_UNKNOWN_IN_ROW)
        control.stop('error', 'now', failure);
    },
  };
}

export type FailureMonitor = ReturnType<typeof createFailureMonitor>;
