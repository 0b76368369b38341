import type { WorkerHardware } from '../../model/endpoints/record.ts';
import { noRecords, type Records } from '../../state/records.ts';

/** Where a job stands (specification 3.2). */
export type JobStatus = 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TIMED_OUT';

/** What every job carries, whatever it is doing. Times are milliseconds since the epoch, spans milliseconds. */
export interface Job {
  readonly id: string;
  readonly endpointId: string;
  readonly status: JobStatus;
  /** The JSON text of `input` as it was sent. */
  readonly input: string;
  readonly lowPriority: boolean;
  readonly webhook?: string;
  /** The policy's execution timeout; absent where the endpoint's holds. */
  readonly executionTimeoutMs?: number;
  /** How long the result is kept after completion. */
  readonly retentionMs: number;
  readonly submittedAt: number;
  /** Time to live: past it the job is deleted, whatever it is doing. */
  readonly ttlAt: number;
  /** Counts starts: what an earlier start still reports is recognised as late. */
  readonly attempt: number;
  /** When it last entered the queue: at submission, and at every retry. */
  readonly queuedAt: number;
  readonly startedAt?: number;
  readonly workerId?: string;
  readonly finishedAt?: number;
  /** JSON text. */
  readonly output?: string;
  readonly error?: string;
  readonly stream: StreamPosition;
}

/** How far the handler's chunks have come, and which of them nobody has fetched yet. */
export interface StreamPosition {
  /** Chunks the handler has yielded. */
  readonly made: number;
  /** Chunks handed to callers or waiting for one, after splitting: the next `stream_index`. */
  readonly numbered: number;
  /** JSON texts. */
  readonly pending: readonly string[];
}

export type WorkerStatus = 'INITIALIZING' | 'IDLE' | 'RUNNING';

export interface Worker {
  readonly id: string;
  readonly endpointId: string;
  readonly status: WorkerStatus;
  /** The endpoint's version it was started with; an older one than the endpoint's is stale. */
  readonly version: number;
  /** What that version runs. */
  readonly image: string;
  /** GB. */
  readonly disk: number;
  readonly hardware: WorkerHardware;
  readonly startedAt: number;
  /** When it had finished its cold start. */
  readonly readyAt?: number;
  readonly endedAt?: number;
  /** The jobs it took, oldest first; no more than the last ones. */
  readonly runs: readonly Run[];
  /** What a handler module printed, oldest first; no more than the last lines. */
  readonly printed?: readonly Printed[];
  /** The job of a RUNNING worker. */
  readonly jobId?: string;
  /** Since when an IDLE worker has had nothing to do. */
  readonly idleSince?: number;
}

export interface Printed {
  readonly at: number;
  readonly line: string;
}

/** A job's time on a worker, as far as the worker's log tells of it. It outlives the job. */
export interface Run {
  readonly jobId: string;
  readonly attempt: number;
  readonly from: number;
  readonly inputBytes: number;
  /** Chunks a built-in handler will yield, one at a time, if it is let. */
  readonly chunks: number;
  readonly to?: number;
  /** How it ended; `DELETED` where its time to live was over first. */
  readonly end?: JobStatus | 'DELETED';
  readonly outputBytes?: number;
  readonly error?: string;
}

/**
 * What workers used of some hardware from one moment to another: times are milliseconds since the epoch, spread evenly.
 * Whole hours of an ended worker make one record; what it used of an hour is added to that hour's record.
 */
export interface Usage extends WorkerHardware {
  readonly endpointId: string;
  readonly from: number;
  readonly to: number;
  /** Time of workers: of two from `from` to `to`, twice that span. Milliseconds. */
  readonly workerMs: number;
  /** GB of one worker. */
  readonly disk: number;
}

/**
 * Jobs by how they ended; `expired` by their time to live before they ended. A retry takes its job out of the count it
 * was in, so that at every moment `submitted` is the sum of those that wait, those in progress, and all but `retried`.
 */
export type CountName = 'submitted' | 'completed' | 'failed' | 'cancelled' | 'timedOut' | 'expired' | 'retried';

/** One endpoint's queue: ids of the jobs that wait, in order, and its workers. */
export interface Lane {
  waiting: string[];
  /** Jobs of low priority: taken when `waiting` is empty. */
  waitingLow: string[];
  inProgress: number;
  workers: Records<Worker>;
  /** Workers that have ended, the latest first; no more than the last ones. */
  ended: Worker[];
  counts: Record<CountName, number>;
}

/** Something that is due at a moment, unless what it is about has moved on by then. */
export type Happening =
  | { readonly kind: 'worker-ready'; readonly endpointId: string; readonly workerId: string }
  /** A wait in the queue or an idle span may have grown long enough to change the number of workers. */
  | { readonly kind: 'scale'; readonly endpointId: string }
  | { readonly kind: 'job-end'; readonly jobId: string; readonly attempt: number }
  | { readonly kind: 'job-expiry'; readonly jobId: string };

export interface Timer {
  readonly at: number;
  /** Order among timers of one moment: first set, first fired. */
  readonly order: number;
  readonly what: Happening;
}

/** A webhook still to be delivered. */
export interface Delivery {
  readonly jobId: string;
  readonly tries: number;
  readonly nextAt: number;
}

/** A job whose end somebody waits for: its last record is kept for them where it expires meanwhile. */
export interface Awaited {
  readonly since: number;
  readonly waiters: number;
  readonly last?: Job;
}

/** Requests counted in the present window of one limit. */
export interface RequestWindow {
  readonly from: number;
  readonly count: number;
}

/** Jobs, workers and counts of every endpoint. JSON, as all of the state. */
export interface QueueState {
  jobs: Records<Job>;
  lanes: Records<Lane>;
  /** A binary heap: the earliest first. */
  timers: Timer[];
  /** Timers ever set. */
  timersSet: number;
  /** When so many have been set, the ones that nothing waits for any more are swept out. */
  sweepAt: number;
  /** The last moment the queue was brought up to. */
  asOf: number;
  outbox: Delivery[];
  /** By job. */
  awaited: Records<Awaited>;
  /**
   * What ended workers used, those of deleted endpoints included, by endpoint. With what runs now: `usageOf`.
   */
  usage: Records<Usage[]>;
  /** By key, endpoint and operation; empty unless queue limits are on. */
  windows: Records<RequestWindow>;
}

/** A queue without jobs or workers, as of a moment. */
export const emptyQueue = (now: number): QueueState => ({
  jobs: noRecords(),
  lanes: noRecords(),
  timers: [],
  timersSet: 0,
  sweepAt: 1024,
  asOf: now,
  outbox: [],
  awaited: noRecords(),
  usage: noRecords(),
  windows: noRecords(),
});

export const emptyLane = (): Lane => ({
  waiting: [],
  waitingLow: [],
  inProgress: 0,
  workers: noRecords(),
  ended: [],
  counts: { submitted: 0, completed: 0, failed: 0, cancelled: 0, timedOut: 0, expired: 0, retried: 0 },
});
