import { DAY_MS, type EpochMs, type Milliseconds } from '../../../core/unit-types.ts';
import { builtinOf, type EndpointRecord, endpoints } from '../../model/endpoints.ts';
import { type Outcome, planOf } from './builtin-handlers.ts';
import { withChunks } from './chunks.ts';
import { delayOf } from './scaling.ts';
import { askToStop, freed } from './stops.ts';
import { scheduleScaling, setTimer } from './timers.ts';
import { beginRun, endRun } from './worker-history.ts';
import { dequeue, enqueue, putWorker, queueOf } from '../state/endpoint-queue.ts';
import {
  type CountName,
  type Job,
  type JobStatus,
  queuesOf,
  type StreamPosition,
  type Worker,
} from '../state/records.ts';
import { recordsFrom, type State } from '../../state/state.ts';

/** A wait that is older than this was left behind by a killed process. */
const STALE_WAIT_MS: Milliseconds = DAY_MS;

export function beginWaiting(state: State, job: Job, now: EpochMs): void {
  const queues = queuesOf(state);
  queues.awaited = recordsFrom(Object.entries(queues.awaited).filter(([, { since }]) => since > now - STALE_WAIT_MS));
  queues.awaited[job.id] = { since: now, waiters: (queues.awaited[job.id]?.waiters ?? 0) + 1 };
}

export function endWaiting(state: State, jobId: string): void {
  const { awaited } = queuesOf(state);
  const known = awaited[jobId];
  if (known === undefined) return;
  if (known.waiters > 1) awaited[jobId] = { ...known, waiters: known.waiters - 1 };
  else Reflect.deleteProperty(awaited, jobId);
}

/** Its last record when it has expired. */
export const awaitedJob = (state: State, jobId: string): Job | undefined =>
  queuesOf(state).jobs[jobId] ?? queuesOf(state).awaited[jobId]?.last;

function keepForWaiters(state: State, job: Job): void {
  const known = queuesOf(state).awaited[job.id];
  if (known !== undefined) queuesOf(state).awaited[job.id] = { ...known, last: job };
}

export type JobEvent =
  | { readonly kind: 'start'; readonly at: EpochMs; readonly workerId: string }
  | { readonly kind: 'complete'; readonly at: EpochMs; readonly output: string | undefined }
  | { readonly kind: 'fail'; readonly at: EpochMs; readonly error: string }
  /** The program of its endpoint can serve no job. */
  | { readonly kind: 'refuse'; readonly at: EpochMs; readonly error: string }
  | { readonly kind: 'time-out'; readonly at: EpochMs; readonly error: string }
  | { readonly kind: 'cancel'; readonly at: EpochMs }
  /** Its worker was lost. */
  | { readonly kind: 'lose'; readonly at: EpochMs }
  | { readonly kind: 'retry'; readonly at: EpochMs };

/** Specification 3.2 shows cancel and retry; workers make the others. All else is not possible. */
const NEXT: Readonly<Record<JobStatus, Readonly<Partial<Record<JobEvent['kind'], JobStatus>>>>> = {
  IN_QUEUE: { start: 'IN_PROGRESS', cancel: 'CANCELLED', refuse: 'FAILED' },
  IN_PROGRESS: {
    complete: 'COMPLETED',
    fail: 'FAILED',
    'time-out': 'TIMED_OUT',
    cancel: 'CANCELLED',
    lose: 'IN_QUEUE',
  },
  FAILED: { retry: 'IN_QUEUE' },
  TIMED_OUT: { retry: 'IN_QUEUE' },
  COMPLETED: {},
  CANCELLED: {},
};

export const NO_CHUNKS: StreamPosition = { made: 0, numbered: 0, pending: [] };

export const isTerminal = (status: JobStatus): boolean => status !== 'IN_QUEUE' && status !== 'IN_PROGRESS';

export const nextStatus = (status: JobStatus, event: JobEvent['kind']): JobStatus | undefined => NEXT[status][event];

export function transition(job: Job, event: JobEvent): Job | undefined {
  const status = nextStatus(job.status, event.kind);
  if (status === undefined) return undefined;
  switch (event.kind) {
    case 'start':
      return { ...job, status, startedAt: event.at, workerId: event.workerId, attempt: job.attempt + 1 };
    case 'complete':
      return { ...ended(job, status, event.at), ...(event.output !== undefined && { output: event.output }) };
    case 'fail':
    case 'refuse':
    case 'time-out':
      return { ...ended(job, status, event.at), error: event.error };
    case 'cancel':
      return ended(job, status, event.at);
    case 'lose':
    case 'retry':
      return requeued(job, event.at);
  }
}

/** Without progress and chunk copies, which only a running job has. */
function ended(job: Job, status: JobStatus, at: EpochMs): Job {
  if (job.output === undefined && job.streamed === undefined) return { ...job, status, finishedAt: at };
  const { output: _progress, streamed: _streamed, ...kept } = job;
  return { ...kept, status, finishedAt: at };
}

/** Keeps id and input; removes the results of the earlier attempt. */
function requeued(job: Job, at: EpochMs): Job {
  const {
    startedAt: _started,
    finishedAt: _finished,
    workerId: _worker,
    output: _output,
    error: _error,
    streamed: _streamed,
    ...kept
  } = job;
  return { ...kept, status: 'IN_QUEUE', queuedAt: at, stream: NO_CHUNKS };
}

/** End of its time to live or of its retention, whichever comes first (specification 8.2). */
export const expiryOf = (job: Job): number =>
  job.finishedAt === undefined ? job.ttlAt : Math.min(job.ttlAt, job.finishedAt + job.retentionMs);

/** The execution timeout when neither the job's policy nor its endpoint sets one (contract rules, Queue API). */
const EXECUTION_TIMEOUT_MS: Milliseconds = 600_000;

export function admit(state: State, job: Job): void {
  queueOf(state, job.endpointId).counts.submitted += 1;
  setTimer(state, job.ttlAt, { kind: 'job-expiry', jobId: job.id });
  enterStatus(state, job);
}

/** Undefined, without any change, when the event is not possible in the job's status. */
export function applyEvent(state: State, job: Job, event: JobEvent): Job | undefined {
  const upToDate = withChunks(job, endpoints.get(state, job.endpointId), event.at);
  const moved = transition(upToDate, event);
  if (moved === undefined) return undefined;
  leaveStatus(state, job, event.at, moved);
  enterStatus(state, moved);
  if (event.kind === 'retry' || event.kind === 'lose') queueOf(state, job.endpointId).counts.retried += 1;
  return moved;
}

/** Deletes a job in any status. */
export function expire(state: State, job: Job, at: number): void {
  const queue = queueOf(state, job.endpointId);
  if (!isTerminal(job.status)) {
    leaveStatus(state, job, at, undefined);
    queue.counts.expired += 1;
  } else keepForWaiters(state, job);
  removeDelivery(state, job.id);
  Reflect.deleteProperty(queuesOf(state).jobs, job.id);
}

/** For a program of the user only the timeout is known: its outcome is recorded when it arrives. */
export function endOf(endpoint: EndpointRecord, job: Job): { readonly at: number; event(): JobEvent } {
  const startedAt = job.startedAt ?? job.queuedAt;
  const timeoutMs = job.executionTimeoutMs ?? (endpoint.timeoutMs > 0 ? endpoint.timeoutMs : EXECUTION_TIMEOUT_MS);
  const handler = builtinOf(endpoint);
  const plan = handler === undefined ? undefined : planOf(handler, job.input, job.attempt);
  if (plan === undefined || plan.workMs > timeoutMs) {
    const at = startedAt + timeoutMs;
    const error = `the job ran longer than its execution timeout of ${String(timeoutMs)} ms`;
    return { at, event: () => ({ kind: 'time-out', at, error }) };
  }
  const at = startedAt + plan.workMs;
  return { at, event: () => eventOf(plan.outcome(), at) };
}

export const eventOf = (outcome: Outcome, at: number): JobEvent =>
  outcome.kind === 'output'
    ? { kind: 'complete', at, output: outcome.text }
    : { kind: 'fail', at, error: outcome.error };

const COUNTER_OF: Readonly<Record<JobStatus, CountName | undefined>> = {
  IN_QUEUE: undefined,
  IN_PROGRESS: undefined,
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TIMED_OUT: 'timedOut',
};

/** Undoes `enterStatus`; `after` is undefined when the job is deleted. */
function leaveStatus(state: State, job: Job, at: number, after: Job | undefined): void {
  const queue = queueOf(state, job.endpointId);
  if (job.status === 'IN_QUEUE') dequeue(queue, job);
  else if (job.status === 'IN_PROGRESS') {
    queue.inProgress -= 1;
    release(state, job, at, after);
  } else {
    const counted = COUNTER_OF[job.status];
    if (counted !== undefined) queue.counts[counted] -= 1;
    removeDelivery(state, job.id);
  }
}

function enterStatus(state: State, job: Job): void {
  const queues = queuesOf(state);
  const queue = queueOf(state, job.endpointId);
  const endpoint = endpoints.get(state, job.endpointId);
  queues.jobs[job.id] = job;
  if (job.status === 'IN_QUEUE') {
    enqueue(queue, job);
    if (endpoint?.scaling.type === 'QUEUE_DELAY')
      scheduleScaling(state, queue, job.endpointId, job.queuedAt + delayOf(endpoint));
  } else if (job.status === 'IN_PROGRESS') {
    queue.inProgress += 1;
    occupy(state, job);
    if (endpoint !== undefined)
      setTimer(state, endOf(endpoint, job).at, { kind: 'job-end', jobId: job.id, attempt: job.attempt });
  } else {
    const counted = COUNTER_OF[job.status];
    if (counted !== undefined) queue.counts[counted] += 1;
    setTimer(state, expiryOf(job), { kind: 'job-expiry', jobId: job.id });
    if (job.webhook !== undefined)
      queues.deliveries.push({ jobId: job.id, attempts: 0, nextAt: job.finishedAt ?? job.queuedAt });
  }
}

function occupy(state: State, job: Job): void {
  const queue = queueOf(state, job.endpointId);
  const worker = queue.workers[job.workerId ?? ''];
  if (worker === undefined) return;
  const { idleSince: _idle, ...kept } = worker;
  const runs = beginRun(worker.runs, job, endpoints.get(state, job.endpointId));
  putWorker(queue, { ...kept, status: 'RUNNING', jobIds: [...worker.jobIds, job.id], runs });
}

/** A worker of the worker protocol may still work on an ended job: it is asked to stop it. */
function release(state: State, job: Job, at: number, after: Job | undefined): void {
  const queue = queueOf(state, job.endpointId);
  const worker = queue.workers[job.workerId ?? ''];
  if (worker === undefined) return;
  const jobIds = worker.jobIds.filter((id) => id !== job.id);
  const released: Worker = { ...worker, jobIds, runs: endRun(worker.runs, job.id, at, after) };
  const isTold = after?.status === 'COMPLETED' || after?.status === 'FAILED' || after?.status === 'IN_QUEUE';
  if (worker.protocol !== undefined && !isTold) askToStop(state, queue, released, job.id, at);
  else putWorker(queue, freed(released, at));
}

function removeDelivery(state: State, jobId: string): void {
  const queues = queuesOf(state);
  if (queues.deliveries.length > 0)
    queues.deliveries = queues.deliveries.filter((delivery) => delivery.jobId !== jobId);
}
