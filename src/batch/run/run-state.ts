import type { RateWindow } from '../../core/api.ts';
import type { Clock } from '../../core/context.ts';
import type { Failure } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import type { EndEvent } from '../model/item-states.ts';
import type { LineOwner } from '../model/result-line.ts';
import { MAX_RETRY_AFTER_MS, type MonotonicMs, type RequestKind } from '../model/run-end.ts';
import type { RunRecords } from '../store/records.ts';
import type { RequestRates } from './adaptive-rate.ts';
import type { QueueClient, RetryLater } from './queue-client.ts';
import type { FailureMonitor, OnRequest, RunControl } from './run-control.ts';

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
  readonly onRequest?: OnRequest;
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
  if ((retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS) control.stop('error', 'now', failure);
  else if (!throttled) monitor.onFailure(failure);
}
