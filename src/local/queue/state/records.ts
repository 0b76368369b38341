import type { WorkerHardware } from '../../model/endpoints.ts';
import { withoutPrototype } from '../../state/saved-state.ts';
import { createPart, noRecords, type Records, type State } from '../../state/state.ts';
import { type Timer, TimerHeap } from './timer-heap.ts';
import type { Bytes, EpochMs, Milliseconds } from '../../../core/unit-types.ts';

export type { Timer, TimerEvent } from './timer-heap.ts';

/** The status of a job (specification 3.2). */
export type JobStatus = 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TIMED_OUT';

/** Never changed in place. */
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
  readonly retentionMs: Milliseconds;
  readonly submittedAt: EpochMs;
  /** The job is then deleted in any status. */
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

export type Submission = Pick<Job, 'input' | 'lowPriority' | 'retentionMs' | 'webhook' | 'executionTimeoutMs'> & {
  readonly sync: boolean;
  readonly ttlMs: Milliseconds;
};

export interface StreamPosition {
  readonly made: number;
  /** The next `stream_index`: how many chunks there are after splitting. */
  readonly numbered: number;
  /** JSON texts, not fetched yet. */
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
  readonly image: string;
  /** GB. */
  readonly disk: number;
  readonly hardware: WorkerHardware;
  readonly startedAt: EpochMs;
  readonly readyAt?: EpochMs;
  readonly crashedAt?: EpochMs;
  readonly crashReason?: string;
  readonly endedAt?: EpochMs;
  /** Oldest first. */
  readonly runs: readonly Run[];
  /** Oldest first. */
  readonly printed?: readonly Printed[];
  /** How many printed lines were dropped in the middle. */
  readonly leftOut?: number;
  /** The jobs of a RUNNING worker, oldest first. A worker that takes jobs by the worker protocol may have several. */
  readonly jobIds: readonly string[];
  readonly idleSince?: EpochMs;
  /** Absent when it was stopped by scaling or crashed. */
  readonly endReason?: string;
  /** Absent for workers that are given jobs by the queue. */
  readonly protocol?: ProtocolWorker;
}

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
  /** Its prestart hooks failed: it ends, and fails every job that it has. */
  readonly hasFailedStart?: true;
  readonly fault?: WorkerFault;
}

export interface JobStop {
  readonly jobId: string;
  /** Real time, as `seenAt`. */
  readonly since: EpochMs;
  /** When the worker was told, in real time; absent when it has not asked yet. */
  readonly toldAt?: EpochMs;
}

/** `crash` and `oom` kill it, `hang` loses its results, `silent` its signs of life. */
export interface WorkerFault {
  readonly kind: 'crash' | 'oom' | 'hang' | 'silent';
  readonly jobId: string;
  /** On the service's clock. */
  readonly since: EpochMs;
}

export interface Printed {
  readonly at: EpochMs;
  readonly line: string;
}

/** Kept after the job is deleted, for the worker's log. */
export interface Run {
  readonly jobId: string;
  readonly attempt: number;
  readonly from: EpochMs;
  readonly inputBytes: Bytes;
  readonly chunks: number;
  readonly to?: EpochMs;
  /** How it ended; `DELETED` when the job's time to live ended first, `LOST` when the worker was lost. */
  readonly end?: JobStatus | 'DELETED' | 'LOST';
  readonly outputBytes?: Bytes;
  readonly error?: string;
  /** For the worker's system log, oldest first. */
  readonly notes?: readonly Printed[];
}

/** Spread evenly from `from` to `to`. Full hours make one record; partial ones add to their hour's. */
export interface Usage extends WorkerHardware {
  readonly endpointId: string;
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** The sum over all workers; two workers for an hour make two hours. */
  readonly workerMs: Milliseconds;
  /** GB per worker. */
  readonly disk: number;
}

/** A retry leaves its counter: `submitted` = waiting + running + all other counters but `retried`. */
export type CountName = 'submitted' | 'completed' | 'failed' | 'cancelled' | 'timedOut' | 'expired' | 'retried';

/** Taking and removing take constant time: a removed job leaves its id, which is skipped later. */
export interface WaitingLine {
  /** Ids are added at its end only; for any other change it is replaced. */
  ids: string[];
  /** The index of the first id that was not taken. */
  head: number;
  count: number;
}

export interface Crashes {
  /** Before the worker asked for a job, since one last asked for a job. */
  readonly atStart: number;
  /** While the worker had jobs, since one last reported a result. */
  readonly atWork: number;
  /** On the service's clock. */
  readonly until: EpochMs;
}

export interface EndpointQueue {
  waiting: WaitingLine;
  /** Waiting jobs of low priority: started when `waiting` is empty. */
  waitingLow: WaitingLine;
  inProgress: number;
  /** Changed by `putWorker` and `removeWorker` only. */
  workers: Records<Worker>;
  workerCounts: Record<WorkerStatus, number>;
  /** There may be workers above the maximum or of an older version. */
  isUnsettled: boolean;
  scaleAt?: number;
  /** No worker is started until `until`. */
  crashes?: Crashes;
  /** Grows when a held request of a worker must be answered for another reason than a new job. */
  signals: number;
  /** Newest first. */
  ended: Worker[];
  counts: Record<CountName, number>;
}

export interface Delivery {
  readonly jobId: string;
  readonly attempts: number;
  readonly nextAt: number;
}

/** When the job is deleted meanwhile, its last record is kept for them. */
export interface Awaited {
  readonly since: EpochMs;
  readonly waiters: number;
  readonly last?: Job;
}

export interface RequestWindow {
  readonly from: EpochMs;
  readonly count: number;
}

export interface Queues {
  jobs: Records<Job>;
  byEndpoint: Records<EndpointQueue>;
  /** Endpoints whose changed settings were not applied yet. */
  changed: string[];
  timers: TimerHeap;
  timersSet: number;
  /** The value of `timersSet` at which timers that no longer apply are removed. */
  sweepAt: number;
  deliveries: Delivery[];
  /** By job id. */
  awaited: Records<Awaited>;
  /** By endpoint id, deleted ones included. `usageOf` adds the workers that still run. */
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

export function queuesOf(state: State): Queues {
  const queues = part.of(state);
  if (!(queues.timers instanceof TimerHeap)) revive(queues);
  return queues;
}

/** Of a state that was read from its file. */
function revive(queues: Queues): void {
  queues.timers = new TimerHeap(queues.timers as unknown as Timer[]);
  const { jobs, byEndpoint, awaited, usage, windows } = queues;
  const workers = Object.values(byEndpoint).map((queue) => queue.workers);
  for (const records of [jobs, byEndpoint, awaited, usage, windows, ...workers]) withoutPrototype(records);
}

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
