import type { Clock } from '../../core/context.ts';
import type { Json } from '../../core/json.ts';
import type { Books } from '../store/books.ts';
import type { EndEvent } from '../store/items/item-state-machine.ts';
import type { LineOwner } from '../store/results/results-file.ts';
import type { QueueClient, RetryLater } from './queue-client.ts';
import type { GrantedRate } from './granted-rate.ts';
import type { RequestKind, RequestRates } from './submit-and-poll-rates.ts';
import type { FailureMonitor, RunControl } from './stop-run.ts';
import { MAX_RETRY_AFTER_MS } from './adaptive-rate.ts';

/** The granted rates of both kinds of requests. */
export type GrantedRates = Readonly<Record<RequestKind, GrantedRate>>;

/** What the submitter and the poller of a run share. */
export interface RunState {
  readonly clock: Clock;
  readonly client: QueueClient;
  /** Maximum concurrent requests of all kinds. */
  readonly concurrency: number;
  readonly books: Books;
  /** Keeps the result of an item and records its end. */
  readonly saveResult: (owner: LineOwner, document: Json, event: EndEvent) => Promise<void>;
  readonly rates: RequestRates;
  /** What the pace of all drivers allows this one; undefined when it shares no endpoint by a store. */
  readonly granted: GrantedRates | undefined;
  readonly control: RunControl;
  readonly monitor: FailureMonitor;
  /** Starts work that the run waits for. An error in it stops the batch. */
  readonly start: (work: Promise<void>) => void;
}

/** True when the pace of all drivers allows one more request of a kind now. */
export const isGranted = ({ granted }: RunState, kind: RequestKind, now: number): boolean =>
  granted === undefined || granted[kind].available(now) > 0;

/** Milliseconds until the pace of all drivers allows one more; undefined when the run is woken then. */
export function grantDelay({ granted }: RunState, kind: RequestKind, now: number): number | undefined {
  const delayMs = granted?.[kind].delay(now);
  return delayMs === undefined ? undefined : Math.max(1, delayMs);
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
  if ((retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS) control.stop('error', 'now', failure);
  else if (!throttled) monitor.onFailure(failure);
}
