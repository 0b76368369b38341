import type { Clock } from '../../core/context.ts';
import type { Failure } from '../../core/failure.ts';
import type { RequestKind, RunRecords, Stopped, StopReason } from '../model/run-records.ts';
import type { Json } from '../../core/json.ts';
import type { EndEvent } from '../model/item-states.ts';
import type { QueueClient, RetryLater } from './queue-client.ts';
import { MAX_RETRY_AFTER_MS, type RequestRates } from './adaptive-rate.ts';
import type { LineOwner } from '../model/result-line.ts';

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
interface FailureMonitor {
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

/** What the submitter and the poller of a run share. */
export interface RunState {
  readonly clock: Clock;
  readonly client: QueueClient;
  /** Maximum concurrent requests of all kinds. */
  readonly concurrency: number;
  readonly records: RunRecords;
  /** Keeps the result of an item and records its end. */
  readonly saveResult: (owner: LineOwner, document: Json, event: EndEvent) => Promise<void>;
  readonly rates: RequestRates;
  readonly control: RunControl;
  readonly monitor: FailureMonitor;
  /** Starts work that the run waits for. An error in it stops the batch. */
  readonly start: (work: Promise<void>) => void;
}

export const canSend = ({ client, concurrency }: RunState): boolean => client.pending < concurrency;

/** Slows down after a request that may succeed later. Stops the batch when the service asks for too long a wait. */
export function onRetryLater(
  { rates, control, monitor }: RunState,
  kind: RequestKind,
  { retryAfterMs, throttled, failure }: RetryLater,
  sentAt: number,
): void {
  rates.backOff(kind, sentAt, retryAfterMs);
  // A driver that did not reach the service must not slow down the others.
  if (throttled || retryAfterMs !== undefined) rates.granted[kind].slowDown(retryAfterMs, sentAt);
  if ((retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS) control.stop('error', 'now', failure);
  else if (!throttled) monitor.onFailure(failure);
}
