import type { Clock } from '../../core/context.ts';
import type { Json } from '../../core/json.ts';
import type { RunRecords, RequestKind } from '../model/run-records.ts';
import type { EndEvent } from '../model/item-state-machine.ts';
import type { QueueClient, RetryLater } from './queue-client.ts';
import type { RequestRates } from './submit-and-poll-rates.ts';
import type { FailureMonitor, RunControl } from './stop-run.ts';
import { MAX_RETRY_AFTER_MS } from './adaptive-rate.ts';
import type { LineOwner } from '../model/result-line.ts';

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
