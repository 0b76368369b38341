import { HOUR_MS } from '../../core/durations.ts';
import type { Json } from '../../core/json.ts';
import type { PlannedRange } from '../read/range.ts';
import type { EndEvent, ItemCounts, ItemEvent, ItemStates } from './item-states.ts';
import type { LineOwner } from './result-line.ts';
import type { Bytes, EpochMs, Milliseconds } from '../../core/unit-types.ts';

/** A point in time by the monotonic clock of this process: no date, and of no use to another process. */
export type MonotonicMs = number;

/** A job that the service has according to the records of a batch. */
export interface KnownJob {
  readonly item: number;
  readonly job: string;
  /** JSON text of the item's label. */
  readonly id: string | undefined;
  readonly submittedAt: EpochMs;
  readonly retries: number;
}

/** Data of an event that is not needed to determine the next state. */
export interface EventData {
  /** JSON text of the item's label, with `send`, `retry` and `find`. */
  readonly id?: string | undefined;
  /**
   * With `accept`, `retry`, `find`, `end` and `refuse`; earlier versions did not store the time of an end.
   */
  readonly at?: EpochMs | undefined;
  /** Length of the results file including the item's line, with `end` and `refuse`. */
  readonly resultBytes?: Bytes | undefined;
  /** CRC-32 of the results file up to that length. Earlier versions did not store it. */
  readonly checksum?: number | undefined;
}

/** The `service` of a batch that ran on the local service in its own process. */
export const LOCAL_SERVICE = 'the local service';

/**
 * The records of a batch as one run uses them: the state of each item, and what happened to it. The journal beside the
 * results and a PostgreSQL database implement them. A shared store can lose an item to another driver: its state is then
 * `unknown`, and events of it are ignored.
 */
export interface RunRecords {
  readonly states: Pick<ItemStates, 'stateOf' | 'count' | 'counts'>;
  /** Jobs that failed or timed out in an earlier run, when they are to be retried. */
  readonly failed: readonly KnownJob[];
  /** Jobs that the service did not have in an earlier run, and may have all the same. */
  readonly expired: readonly KnownJob[];
  /** Begins to call the listener. Call it once. */
  open(listener: RecordsListener): void;
  /**
   * Identifies the time for which this run has the item. It changes when another driver had the item meanwhile: an
   * intent of before must not be sent then.
   */
  tenureOf(item: number): number;
  /** True while submissions may be sent: a driver without a valid lease must wait. */
  maySend(): boolean;
  /** Applies an event and records it. Resolves when the record is durable. Records that are written together share the promise. */
  record(item: number, event: ItemEvent, data?: EventData): Promise<void>;
  /** Takes back an intent whose record failed: no request was sent for it. Records nothing. */
  forgetIntent(item: number): void;
  /** Keeps the result of an item, and then records the event that ends it. */
  saveResult(owner: LineOwner, document: Json, event: EndEvent): Promise<void>;
  /** Returns false when another job of the batch has this id. */
  addJobId(id: string): boolean;
  /** Resolves when no write is pending. */
  idle(): Promise<void>;
}

export interface RecordsListener {
  /** Called with the jobs that the service has already: those of earlier runs, and those of a driver that ended. */
  readonly onJobs: (jobs: readonly KnownJob[]) => void;
  /** Called when `maySend` or the counts changed for another reason than an event of this run. */
  readonly onChange: () => void;
  /** Called when the batch was cancelled: nothing more is sent. */
  readonly onCancelled: () => void;
  /** Called when the records cannot be kept any more. */
  readonly onFailure: (error: unknown) => void;
}

/** A range of items that a run works on; `isLost` returns true when another driver has taken it over. */
interface Claim {
  readonly row: PlannedRange;
  readonly isLost: () => boolean;
}

/** Gives a run the ranges of a batch one after the other. */
export interface RangeClaims {
  /**
   * Claims a range. Resolves to `none` while others hold all that are left, to `busy` while this driver holds enough,
   * and to `finished` when all are done.
   */
  claim(): Promise<Claim | 'none' | 'busy' | 'finished'>;
  /** Resolves when something has changed that `claim` depends on, or after a time. Fails when the signal is aborted. */
  changed(signal: AbortSignal): Promise<void>;
}

/** A batch stops when the service asks for a longer wait. */
export const MAX_RETRY_AFTER_MS = HOUR_MS;

/** The kinds of requests with a rate of their own: submissions, and status and retry requests. */
export type RequestKind = 'submit' | 'poll';
export type Paces = Readonly<Record<RequestKind, SharedPace>>;

/** Requests that a driver may start. */
export interface PaceGrant {
  /** To be spread evenly from `validFrom` to `validUntil`. With 0, the driver asks again at `validFrom`. */
  readonly requests: number;
  readonly validFrom: MonotonicMs;
  readonly validUntil: MonotonicMs;
  /** How many of its requests may be in progress at the same time. */
  readonly concurrency: number;
}

/** The rate of requests of one kind at one endpoint, which all drivers share. */
export interface SharedPace {
  /** Asks for a grant for this second, or for the next one when it was called in this second already. Fails as the store does. */
  next(wanted: number): Promise<PaceGrant>;
  /**
   * After a 429, or when the service was not reached, for a request that was sent at `sentAt`: all drivers
   * wait and slow down. Fails as the store does.
   */
  slowDown(retryAfterMs: Milliseconds | undefined, sentAt: MonotonicMs): Promise<void>;
  /** Gives the driver's share to the others. Fails as the store does. */
  close(): Promise<void>;
}

export type StopReason = 'interrupt' | 'timeout' | 'failures' | 'cancelled' | 'error';

export interface Stopped {
  readonly reason: StopReason;
  readonly failure?: unknown;
}

/** How a run ended. */
export interface RunEnd {
  readonly counts: ItemCounts;
  /** Absent when nothing is left to do. */
  readonly stopped?: Stopped;
  /** Number of jobs that run again although their result had been written: the results have two lines for each. */
  readonly rerunCount: number;
  /** True when all items have ended and the results are not sorted yet. */
  readonly unordered?: boolean;
  /** Jobs that were accepted and could not be recorded. */
  readonly unrecorded: readonly Pick<KnownJob, 'item' | 'job'>[];
}
