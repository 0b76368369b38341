import type { WorkerHardware } from '../../model/endpoints/record.ts';
import { noRecords, type Records } from '../../state/records.ts';
import { createPart } from '../../state/record-table.ts';
import type { State } from '../../state/state.ts';
import { TimerHeap } from './timer-heap.ts';
import type { Bytes, EpochMs, Milliseconds } from '../../../core/unit-types.ts';

export type { Timer, TimerEvent } from './timer-heap.ts';

/** The status of a job (specification 3.2). */
export type JobStatus = 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TIMED_OUT';

/** A job. A record is never changed in place. */
export interface Job {
  readonly id: string;
  readonly endpointId: string;
  readonly status: JobStatus;
  /** The JSON text of `input` as it was sent. */
  readonly input: string;
  readonly lowPriority: boolean;
  readonly webhook?: string;
  /** The execution timeout of the job's policy; without it the endpoint's timeout applies. */
  readonly executionTimeoutMs?: Milliseconds;
  /** How long the result is kept after the job has ended. */
  readonly retentionMs: Milliseconds;
  readonly submittedAt: EpochMs;
  /** When its time to live ends: the job is then deleted in any status. */
  readonly ttlAt: EpochMs;
  /** How often it was started. Reports of an earlier attempt are ignored. */
  readonly attempt: number;
  /** When it last entered the queue: by submission or retry. */
  readonly queuedAt: EpochMs;
  readonly startedAt?: EpochMs;
  readonly workerId?: string;
  readonly finishedAt?: EpochMs;
  /** JSON text. Of a job that runs: the latest progress update of its worker. */
  readonly output?: string;
  readonly error?: string;
  readonly stream: StreamPosition;
  /** The JSON texts of all chunks that a worker has sent for a job that runs, fetched or not. */
  readonly streamed?: readonly string[];
}

/** The part of a job that comes from the validated body. */
export type Submission = Pick<Job, 'input' | 'lowPriority' | 'retentionMs' | 'webhook' | 'executionTimeoutMs'> & {
  readonly sync: boolean;
  /** Time to live from submission. */
  readonly ttlMs: Milliseconds;
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

/** An UNHEALTHY worker's container or process has ended: it takes no jobs. */
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
  readonly startedAt: EpochMs;
  /** When its cold start was complete. */
  readonly readyAt?: EpochMs;
  /** When its container or process ended, of a worker that crashed. */
  readonly crashedAt?: EpochMs;
  /** How its process ended, of a worker that crashed. */
  readonly crashReason?: string;
  readonly endedAt?: EpochMs;
  /** Its latest jobs, oldest first. */
  readonly runs: readonly Run[];
  /** The latest lines that its handler module printed, oldest first. */
  readonly printed?: readonly Printed[];
  /** The jobs of a RUNNING worker, oldest first. A worker that takes jobs by the worker protocol may have several. */
  readonly jobIds: readonly string[];
  /** Since when an IDLE worker is idle. */
  readonly idleSince?: EpochMs;
  /** Why it was stopped, when it was not by scaling and did not crash. */
  readonly endReason?: string;
  /** Of a worker that takes its jobs by the worker protocol. Others are given jobs by the queue. */
  readonly protocol?: ProtocolWorker;
}

/** What is known of a worker that takes its jobs by the worker protocol. */
export interface ProtocolWorker {
  /** `managed`: the local service starts and stops its process. `attached`: somebody else does. */
  readonly kind: 'managed' | 'attached';
  /** When it last made a request, in real time: without what the clock was advanced by. */
  readonly seenAt: EpochMs;
  /** How many of its requests are held open. */
  readonly polls: number;
  /** The jobs that ended without it, by cancel, execution timeout or time to live, and that it has not let go of. */
  readonly stops: readonly JobStop[];
  /** It gets no more jobs, and is replaced after those that it has. */
  readonly isLeaving?: true;
  /** The fault that was injected into it. */
  readonly fault?: WorkerFault;
}

/** A job that a worker is to stop. */
export interface JobStop {
  readonly jobId: string;
  /** Real time, as `seenAt`. */
  readonly since: EpochMs;
  /** When the worker was told, in real time; absent when it has not asked yet. */
  readonly toldAt?: EpochMs;
}

/**
 * What an injected fault does to a worker: it is killed (`crash`, `oom`), its results are lost and it goes on (`hang`), or
 * its signs of life are lost (`silent`).
 */
export interface WorkerFault {
  readonly kind: 'crash' | 'oom' | 'hang' | 'silent';
  /** The job that it was taking. */
  readonly jobId: string;
  /** On the service's clock. */
  readonly since: EpochMs;
}

export interface Printed {
  readonly at: EpochMs;
  readonly line: string;
}

/** One attempt of a job on a worker, for the worker's log. It is kept after the job is deleted. */
export interface Run {
  readonly jobId: string;
  readonly attempt: number;
  readonly from: EpochMs;
  readonly inputBytes: Bytes;
  /** How many chunks a built-in handler yields when it is not cancelled. */
  readonly chunks: number;
  readonly to?: EpochMs;
  /** How it ended; `DELETED` when the job's time to live ended first, `LOST` when the worker was lost. */
  readonly end?: JobStatus | 'DELETED' | 'LOST';
  readonly outputBytes?: Bytes;
  readonly error?: string;
  /** What the service says about this attempt in the worker's system log, oldest first. */
  readonly notes?: readonly Printed[];
}

/**
 * The use of some hardware by an endpoint's workers, spread evenly from `from` to `to`. The
 * whole hours of an ended worker make one record; partial hours are added to the record of that hour.
 */
export interface Usage extends WorkerHardware {
  readonly endpointId: string;
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** The sum over all workers; two workers for an hour make two hours. */
  readonly workerMs: Milliseconds;
  /** GB per worker. */
  readonly disk: number;
}

/**
 * The counters of a queue. `expired` counts jobs whose time to live ended before they did. A retry removes its job from the
 * counter it was in, so that `submitted` is always the sum of the waiting jobs, the running jobs and all other counters but
 * `retried`.
 */
export type CountName = 'submitted' | 'completed' | 'failed' | 'cancelled' | 'timedOut' | 'expired' | 'retried';

/**
 * Waiting jobs in order. Taking the first one and removing any other one take the same time however many there are: a job
 * that was removed leaves its id, which is skipped later.
 */
export interface WaitingLine {
  /** Ids are added at its end only; for any other change it is replaced. */
  ids: string[];
  /** The index of the first id that was not taken. */
  head: number;
  /** How many jobs wait. */
  count: number;
}

/** The crashes in a row of the workers of an endpoint. */
export interface Crashes {
  /** Before the worker asked for a job, since one last asked for a job. */
  readonly atStart: number;
  /** While the worker had jobs, since one last reported a result. */
  readonly atWork: number;
  /** On the service's clock. */
  readonly until: EpochMs;
}

/** The queue of one endpoint. */
export interface EndpointQueue {
  waiting: WaitingLine;
  /** Waiting jobs of low priority: started when `waiting` is empty. */
  waitingLow: WaitingLine;
  /** How many jobs run; a worker may run several. */
  inProgress: number;
  /** Changed by `putWorker` and `removeWorker` only. */
  workers: Records<Worker>;
  /** How many workers have each status. */
  workerCounts: Record<WorkerStatus, number>;
  /** There may be workers above the maximum or of an older version. */
  isUnsettled: boolean;
  /** When the number of workers is to be looked at next; absent when nothing is due. */
  scaleAt?: number;
  /** The workers whose processes ended too early, one after the other: none is started until `until`. */
  crashes?: Crashes;
  /** Grows when a held request of a worker must be answered for another reason than a new job. */
  signals: number;
  /** The latest workers that have ended, newest first. */
  ended: Worker[];
  counts: Record<CountName, number>;
}

/** A webhook that is not delivered yet. */
export interface Delivery {
  readonly jobId: string;
  readonly attempts: number;
  readonly nextAt: number;
}

/** The requests that wait for a job to end. When the job is deleted meanwhile, its last record is kept for them. */
export interface Awaited {
  readonly since: EpochMs;
  readonly waiters: number;
  readonly last?: Job;
}

/** The requests counted in the current window of one limit. */
export interface RequestWindow {
  readonly from: EpochMs;
  readonly count: number;
}

/** The jobs, workers and counters of all endpoints. */
export interface Queues {
  jobs: Records<Job>;
  byEndpoint: Records<EndpointQueue>;
  /** The ids of the endpoints whose settings were changed and that were not looked at since. */
  changed: string[];
  timers: TimerHeap;
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
  changed: [],
  timers: new TimerHeap(),
  timersSet: 0,
  sweepAt: 1024,
  deliveries: [],
  awaited: noRecords(),
  usage: noRecords(),
  windows: noRecords(),
}));

/** The queues of a state. */
export const queuesOf = (state: State): Queues => part.of(state);

const newWaitingLine = (): WaitingLine => ({ ids: [], head: 0, count: 0 });

export const newEndpointQueue = (): EndpointQueue => ({
  waiting: newWaitingLine(),
  waitingLow: newWaitingLine(),
  inProgress: 0,
  workers: noRecords(),
  workerCounts: { INITIALIZING: 0, IDLE: 0, RUNNING: 0, UNHEALTHY: 0 },
  isUnsettled: false,
  signals: 0,
  ended: [],
  counts: { submitted: 0, completed: 0, failed: 0, cancelled: 0, timedOut: 0, expired: 0, retried: 0 },
});
