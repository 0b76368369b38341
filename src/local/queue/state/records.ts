import type { WorkerHardware } from '../../model/endpoints/record.ts';
import { noRecords, type Records } from '../../state/records.ts';
import { createPart } from '../../state/shelf.ts';
import type { State } from '../../state/state.ts';

/** The status of a job (specification 3.2). */
export type JobStatus = 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TIMED_OUT';

/** A job. A record is never changed in place. Times are milliseconds since the epoch, durations milliseconds. */
export interface Job {
  readonly id: string;
  readonly endpointId: string;
  readonly status: JobStatus;
  /** The JSON text of `input` as it was sent. */
  readonly input: string;
  readonly lowPriority: boolean;
  readonly webhook?: string;
  /** The execution timeout of the job's policy; without it the endpoint's timeout applies. */
  readonly executionTimeoutMs?: number;
  /** How long the result is kept after the job has ended. */
  readonly retentionMs: number;
  readonly submittedAt: number;
  /** When its time to live ends: the job is then deleted in any status. */
  readonly ttlAt: number;
  /** How often it was started. Reports of an earlier attempt are ignored. */
  readonly attempt: number;
  /** When it last entered the queue: by submission or retry. */
  readonly queuedAt: number;
  readonly startedAt?: number;
  readonly workerId?: string;
  readonly finishedAt?: number;
  /** JSON text. */
  readonly output?: string;
  readonly error?: string;
  readonly stream: StreamPosition;
}

/** The part of a job that comes from the validated body. */
export type Submission = Pick<Job, 'input' | 'lowPriority' | 'retentionMs' | 'webhook' | 'executionTimeoutMs'> & {
  readonly sync: boolean;
  /** Time to live from submission, milliseconds. */
  readonly ttlMs: number;
};

/** The chunks of a handler, and those of them that were not fetched yet. */
export interface StreamPosition {
  /** How many chunks the handler has yielded. */
  readonly made: number;
  /** The next `stream_index`: how many chunks there are after splitting. */
  readonly numbered: number;
  /** The chunks that were not fetched yet, as JSON texts. */
  readonly pending: readonly string[];
}

/** An UNHEALTHY worker's container has ended at its start: it takes no jobs. */
export type WorkerStatus = 'INITIALIZING' | 'IDLE' | 'RUNNING' | 'UNHEALTHY';

export interface Worker {
  readonly id: string;
  readonly endpointId: string;
  readonly status: WorkerStatus;
  /** The endpoint's version when it was started; a worker with an older version is stale. */
  readonly version: number;
  /** The image of that version. */
  readonly image: string;
  /** GB. */
  readonly disk: number;
  readonly hardware: WorkerHardware;
  readonly startedAt: number;
  /** When its cold start was complete. */
  readonly readyAt?: number;
  /** When its container ended, of an UNHEALTHY worker. */
  readonly crashedAt?: number;
  readonly endedAt?: number;
  /** Its latest jobs, oldest first. */
  readonly runs: readonly Run[];
  /** The latest lines that its handler module printed, oldest first. */
  readonly printed?: readonly Printed[];
  /** The job of a RUNNING worker. */
  readonly jobId?: string;
  /** Since when an IDLE worker is idle. */
  readonly idleSince?: number;
}

export interface Printed {
  readonly at: number;
  readonly line: string;
}

/** One attempt of a job on a worker, for the worker's log. It is kept after the job is deleted. */
export interface Run {
  readonly jobId: string;
  readonly attempt: number;
  readonly from: number;
  readonly inputBytes: number;
  /** How many chunks a built-in handler yields when it is not cancelled. */
  readonly chunks: number;
  readonly to?: number;
  /** How it ended; `DELETED` when the job's time to live ended first. */
  readonly end?: JobStatus | 'DELETED';
  readonly outputBytes?: number;
  readonly error?: string;
}

/**
 * The use of some hardware by an endpoint's workers, spread evenly from `from` to `to` (milliseconds since the epoch). The
 * whole hours of an ended worker make one record; partial hours are added to the record of that hour.
 */
export interface Usage extends WorkerHardware {
  readonly endpointId: string;
  readonly from: number;
  readonly to: number;
  /** The sum over all workers; two workers for an hour make two hours. Milliseconds. */
  readonly workerMs: number;
  /** GB per worker. */
  readonly disk: number;
}

/**
 * The counters of a queue. `expired` counts jobs whose time to live ended before they did. A retry removes its job from the
 * counter it was in, so that `submitted` is always the sum of the waiting jobs, the running jobs and all other counters but
 * `retried`.
 */
export type CountName = 'submitted' | 'completed' | 'failed' | 'cancelled' | 'timedOut' | 'expired' | 'retried';

/** The queue of one endpoint. */
export interface EndpointQueue {
  /** The ids of the waiting jobs, in order. */
  waiting: string[];
  /** The ids of waiting jobs of low priority: started when `waiting` is empty. */
  waitingLow: string[];
  inProgress: number;
  workers: Records<Worker>;
  /** The latest workers that have ended, newest first. */
  ended: Worker[];
  counts: Record<CountName, number>;
}

/** What a timer triggers, when it still applies at that time. */
export type TimerEvent =
  | { readonly kind: 'worker-ready'; readonly endpointId: string; readonly workerId: string }
  /** A job may have waited, or a worker may have been idle, long enough to change the number of workers. */
  | { readonly kind: 'scale'; readonly endpointId: string }
  | { readonly kind: 'job-end'; readonly jobId: string; readonly attempt: number }
  | { readonly kind: 'job-expiry'; readonly jobId: string };

export interface Timer {
  readonly at: number;
  /** The order of timers with the same time: the one set first fires first. */
  readonly order: number;
  readonly event: TimerEvent;
}

/** A webhook that is not delivered yet. */
export interface Delivery {
  readonly jobId: string;
  readonly attempts: number;
  readonly nextAt: number;
}

/** The requests that wait for a job to end. When the job is deleted meanwhile, its last record is kept for them. */
export interface Awaited {
  readonly since: number;
  readonly waiters: number;
  readonly last?: Job;
}

/** The requests counted in the current window of one limit. */
export interface RequestWindow {
  readonly from: number;
  readonly count: number;
}

/** The jobs, workers and counters of all endpoints. */
export interface Queues {
  jobs: Records<Job>;
  byEndpoint: Records<EndpointQueue>;
  /** A binary heap with the earliest timer first. */
  timers: Timer[];
  /** How many timers were ever set. */
  timersSet: number;
  /** The value of `timersSet` at which timers that no longer apply are removed. */
  sweepAt: number;
  /** Webhooks to deliver. */
  deliveries: Delivery[];
  /** By job id. */
  awaited: Records<Awaited>;
  /** What ended workers used, by endpoint id, deleted endpoints included. `usageOf` adds the workers that still run. */
  usage: Records<Usage[]>;
  /** By key, endpoint and operation; empty when queue limits are off. */
  windows: Records<RequestWindow>;
}

const part = createPart<Queues>('queue', () => ({
  jobs: noRecords(),
  byEndpoint: noRecords(),
  timers: [],
  timersSet: 0,
  sweepAt: 1024,
  deliveries: [],
  awaited: noRecords(),
  usage: noRecords(),
  windows: noRecords(),
}));

/** The queues of a state. */
export const queuesOf = (state: State): Queues => part.of(state);

export const newEndpointQueue = (): EndpointQueue => ({
  waiting: [],
  waitingLow: [],
  inProgress: 0,
  workers: noRecords(),
  ended: [],
  counts: { submitted: 0, completed: 0, failed: 0, cancelled: 0, timedOut: 0, expired: 0, retried: 0 },
});
