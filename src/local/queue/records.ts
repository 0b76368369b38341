import TinyQueue from 'tinyqueue';
import type { Bytes, EpochMs, Milliseconds } from '../../core/unit-types.ts';
import type { WorkerHardware } from '../model/endpoints.ts';
import { createPart, noRecords, type Records, type State, withoutPrototype } from '../state/state.ts';

/** When to look at a job or at an endpoint's workers. It is live while `wakeAt` of the record names its time. */
interface Timer {
  readonly at: EpochMs;
  readonly order: number;
  readonly jobId?: string;
  readonly endpointId?: string;
}

class Timers {
  #queue: TinyQueue<Timer>;
  #order: number;
  #sweepAt = 1024;

  constructor(timers: Timer[] = []) {
    this.#queue = heapOf(timers);
    this.#order = timers.reduce((most, { order }) => Math.max(most, order + 1), 0);
  }

  push(timer: Omit<Timer, 'order'>): void {
    this.#queue.push({ ...timer, order: this.#order++ });
  }

  first(): Timer | undefined {
    return this.#queue.peek();
  }

  takeDue(now: EpochMs): Timer | undefined {
    return (this.first()?.at ?? Infinity) <= now ? this.#queue.pop() : undefined;
  }

  /** Removes dead timers when they may be the larger part. */
  sweep(isLive: (timer: Timer) => boolean): void {
    if (this.#queue.length < this.#sweepAt) return;
    this.#queue = heapOf(this.#queue.data.filter(isLive));
    this.#sweepAt = Math.max(1024, 2 * this.#queue.length);
  }

  toJSON(): readonly Timer[] {
    return this.#queue.data;
  }
}

const heapOf = (timers: Timer[]) => new TinyQueue(timers, (a, b) => a.at - b.at || a.order - b.order);

export type JobStatus = 'IN_QUEUE' | 'IN_PROGRESS' | FinalStatus;
export type FinalStatus = 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TIMED_OUT';

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
  /** The time of its one live timer. */
  readonly wakeAt?: EpochMs;
  /** How often it was started. Reports of an earlier attempt are ignored. */
  readonly attempt: number;
  /** When it last entered the queue: by submission or retry. */
  readonly queuedAt: EpochMs;
  readonly startedAt?: EpochMs;
  readonly workerId?: string;
  readonly finishedAt?: EpochMs;
  /** JSON text. Of a running job: the latest progress update of its worker. */
  readonly output?: string;
  readonly error?: string;
  readonly stream: StreamPosition;
  /** The JSON texts of all chunks that a worker sent for a running job, fetched or not. */
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
  status: WorkerStatus;
  /** The endpoint's version when it was started; a worker with an older version is stale. */
  readonly version: number;
  readonly image: string;
  readonly disk: number;
  readonly hardware: WorkerHardware;
  readonly startedAt: EpochMs;
  readyAt?: EpochMs;
  crashedAt?: EpochMs;
  crashReason?: string;
  endedAt?: EpochMs;
  /** Absent when it was stopped by scaling or crashed. */
  endReason?: string;
  idleSince?: EpochMs;
  readonly runs: Run[];
  printed?: Printed[];
  /** How many printed lines were dropped in the middle. */
  leftOut?: number;
  /** The jobs of a RUNNING worker, oldest first. Only a worker of the worker protocol may have several. */
  readonly jobIds: string[];
  /** Absent for workers that are given jobs by the queue. */
  readonly protocol?: ProtocolWorker;
}

export interface ProtocolWorker {
  /** `managed`: the local service starts and stops its process. `attached`: somebody else does. */
  readonly kind: 'managed' | 'attached';
  /** When it last made a request, in real time: without what the clock was advanced by. */
  seenAt: EpochMs;
  /** The jobs that ended without it, by cancel, execution timeout or time to live, and that it still works on. */
  stops: JobStop[];
  /** It gets no more jobs, and is replaced after those that it has. */
  isLeaving?: true;
  /** Its prestart hooks failed: it ends, and fails every job that it has. */
  hasFailedStart?: true;
  fault?: WorkerFault;
}

interface JobStop {
  readonly jobId: string;
  since: EpochMs;
  isSent: boolean;
}

/** `crash` and `oom` kill it, `hang` loses its results, `silent` its signs of life. */
export interface WorkerFault {
  readonly kind: 'crash' | 'oom' | 'hang' | 'silent';
  readonly jobId: string;
  readonly since: EpochMs;
}

interface Printed {
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
  to?: EpochMs;
  /** How it ended; `DELETED` when the job's time to live ended first, `LOST` when the worker was lost. */
  end?: JobStatus | 'DELETED' | 'LOST';
  outputBytes?: Bytes;
  error?: string;
  notes?: Printed[];
}

export interface Usage extends WorkerHardware {
  readonly endpointId: string;
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly disk: number;
}

/** The ids of waiting jobs, oldest first. */
class WaitingLine extends Set<string> {
  toJSON(): readonly string[] {
    return [...this];
  }
}

interface Crashes {
  /** In a row: of starts, or of workers that had asked for a job. */
  readonly count: number;
  readonly isAtStart: boolean;
  readonly until: EpochMs;
}

export interface EndpointQueue {
  waiting: WaitingLine;
  /** Started when `waiting` is empty. */
  waitingLow: WaitingLine;
  readonly workers: Records<Worker>;
  wakeAt?: EpochMs;
  /** No worker is started until `until`. */
  crashes?: Crashes;
  ended: Worker[];
  /** By the status that jobs ended in; deleted ones included. A retry leaves its counter. */
  readonly counts: Record<FinalStatus | 'expired' | 'retried', number>;
}

export interface Delivery {
  readonly jobId: string;
  readonly attempts: number;
  readonly nextAt: number;
}

interface Queues {
  jobs: Records<Job>;
  byEndpoint: Records<EndpointQueue>;
  /** Endpoints whose changed settings were not applied yet. */
  changed: string[];
  timers: Timers;
  deliveries: Delivery[];
  /** Of stopped workers, deleted endpoints included. `usageOf` adds the workers that still run. */
  usage: Usage[];
}

const part = createPart<Queues>('queue', () => ({
  jobs: noRecords(),
  byEndpoint: noRecords(),
  changed: [],
  timers: new Timers(),
  deliveries: [],
  usage: [],
}));

export function queuesOf(state: State): Queues {
  const queues = part.of(state);
  if (!(queues.timers instanceof Timers)) revive(queues);
  return queues;
}

export const isQueueUnread = part.isUnread;

/** Of a state that was read from its file. */
function revive(queues: Queues): void {
  queues.timers = new Timers(queues.timers as unknown as Timer[]);
  withoutPrototype(queues.jobs);
  withoutPrototype(queues.byEndpoint);
  for (const queue of Object.values(queues.byEndpoint)) {
    withoutPrototype(queue.workers);
    queue.waiting = new WaitingLine(queue.waiting);
    queue.waitingLow = new WaitingLine(queue.waitingLow);
  }
}

export const queueOf = (state: State, endpointId: string): EndpointQueue =>
  (queuesOf(state).byEndpoint[endpointId] ??= {
    waiting: new WaitingLine(),
    waitingLow: new WaitingLine(),
    workers: noRecords(),
    ended: [],
    counts: { COMPLETED: 0, FAILED: 0, CANCELLED: 0, TIMED_OUT: 0, expired: 0, retried: 0 },
  });

export const waitingCount = ({ waiting, waitingLow }: EndpointQueue): number => waiting.size + waitingLow.size;

export const waitingLine = ({ waiting, waitingLow }: EndpointQueue, { lowPriority }: Job): WaitingLine =>
  lowPriority ? waitingLow : waiting;

export function* waitingJobs(state: State, { waiting, waitingLow }: EndpointQueue): Generator<Job> {
  for (const line of [waiting, waitingLow])
    for (const id of line) {
      const job = queuesOf(state).jobs[id];
      if (job !== undefined) yield job;
    }
}

export const workersIn = (queue: EndpointQueue): readonly Worker[] => Object.values(queue.workers);

export const inProgress = (queue: EndpointQueue): number =>
  workersIn(queue).reduce((sum, { jobIds }) => sum + jobIds.length, 0);

/** The time that has really passed: the service's time without what the clock was advanced by. */
export const realNow = (state: State): number => state.asOf - state.clockOffsetMs;

export function isLive(state: State, { at, jobId, endpointId = '' }: Timer): boolean {
  const { jobs, byEndpoint } = queuesOf(state);
  return (jobId === undefined ? byEndpoint[endpointId]?.wakeAt : jobs[jobId]?.wakeAt) === at;
}

/** Only the earliest time is kept: looking at the endpoint sets the next one. */
export function wakeEndpoint(state: State, queue: EndpointQueue, endpointId: string, at: EpochMs): void {
  if (at === Number.POSITIVE_INFINITY || (queue.wakeAt !== undefined && queue.wakeAt <= at)) return;
  queue.wakeAt = at;
  queuesOf(state).timers.push({ at, endpointId });
}

/** `wakeAt` replaces its earlier timer. */
export function putJob(state: State, job: Job, wakeAt: EpochMs): Job {
  const stored = { ...job, wakeAt };
  queuesOf(state).jobs[job.id] = stored;
  if (job.wakeAt !== wakeAt) queuesOf(state).timers.push({ at: wakeAt, jobId: job.id });
  return stored;
}
