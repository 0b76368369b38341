import type { RateWindow } from '../../core/api.ts';
import type { Clock } from '../../core/context.ts';
import type { Failure } from '../../core/failure.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import {
  MAX_RETRY_AFTER_MS,
  type MonotonicMs,
  type RequestKind,
  type RunRecords,
  type Stopped,
  type StopReason,
} from '../model/run-records.ts';
import type { Json } from '../../core/json.ts';
import type { EndEvent } from '../model/item-states.ts';
import type { QueueClient, RetryLater } from './queue-client.ts';
import type { RequestRates } from './adaptive-rate.ts';
import type { LineOwner } from '../model/result-line.ts';

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

/** Stops a run when the service does not recover. */
export function createFailureMonitor(
  clock: Clock,
  control: RunControl,
  onRequest: NonNullable<RunObserver['onRequest']>,
) {
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

type FailureMonitor = ReturnType<typeof createFailureMonitor>;

export interface RunOptions {
  readonly concurrency: number;
  readonly rate: number;
  /** Maximum number of jobs that are queued or running at the service. */
  readonly inFlight: number;
  /** When more items than this did not complete, no more are sent. */
  readonly maxFailures: number;
  /** The run stops after this time. */
  readonly timeoutMs: Milliseconds;
  /** Maximum number of retries of a job that failed or timed out. */
  readonly retryFailed: number;
  /** Time to live of a job; undefined for that of the service. */
  readonly ttlMs?: Milliseconds | undefined;
}

/** Callbacks for what happens during a run. */
export interface RunObserver {
  /** Called once with the function that applies the rate windows of answers. */
  readonly onReady?: (applyWindows: (windows: readonly RateWindow[]) => void) => void;
  /** Called with the execution time of each job that ended. */
  readonly onExecuted?: (milliseconds: Milliseconds) => void;
  /**
   * Called after each request: with undefined when it succeeded, or with its failure and the time of the first one since a
   * success.
   */
  readonly onRequest?: (failure: Failure | undefined, failingSince: MonotonicMs | undefined) => void;
  /** Called when a submission may or may not have been accepted. */
  readonly onUnknown?: (failure: Failure) => void;
  /** Called when an item has ended, with the document that was written. */
  readonly onEnded?: (event: EndEvent, document: Json) => void;
  /** Called when a job that failed in an earlier run cannot be retried. */
  readonly onNotRetried?: (refusal: Failure) => void;
}

/** What the submitter and the poller of a run share. */
export interface RunState {
  readonly clock: Clock;
  readonly client: QueueClient;
  readonly options: RunOptions;
  readonly observer: RunObserver;
  readonly records: RunRecords;
  /** Keeps the result of an item and records its end; too many that did not complete stop the run. */
  readonly endItem: (owner: LineOwner, document: Json, event: EndEvent) => Promise<void>;
  readonly rates: RequestRates;
  readonly control: RunControl;
  readonly monitor: FailureMonitor;
  /** Starts work that the run waits for. An error in it stops the batch. */
  readonly start: (work: Promise<void>) => void;
}

export const canSend = ({ client, options }: RunState): boolean => client.pending < options.concurrency;

/** Slows down after a request that may succeed later. Stops the batch when the service asks for too long a wait. */
export function onRetryLater(
  { rates, control, monitor }: RunState,
  kind: RequestKind,
  { retryAfterMs, throttled, failure }: RetryLater,
  sentAt: MonotonicMs,
): void {
  rates.backOff(kind, sentAt, retryAfterMs);
  // A driver that did not reach the service must not slow down the others.
  if (throttled || retryAfterMs !== undefined) rates.granted[kind].slowDown(retryAfterMs, sentAt);
  if ((retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS) control.stop('error', 'now', failure);
  else if (!throttled) monitor.onFailure(failure);
}
