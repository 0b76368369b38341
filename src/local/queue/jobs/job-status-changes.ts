import { planOf, type Outcome } from './builtin-handlers.ts';
import { builtinOf, type EndpointRecord } from '../../model/endpoints/record.ts';
import type { State } from '../../state/state.ts';
import { withChunks } from './chunks.ts';
import { keepForWaiters } from './waiters.ts';
import { enqueue, queueOf, dequeue, putWorker } from '../state/endpoint-queue.ts';
import { expiryOf, isTerminal, transition, type JobEvent } from './transitions.ts';
import { delayOf } from './scaling.ts';
import { askToStop, freed } from './stops.ts';
import { beginRun, endRun } from './worker-history.ts';
import { queuesOf, type CountName, type Job, type JobStatus, type Worker } from '../state/records.ts';
import { scheduleScaling, setTimer } from './timers.ts';
import { endpoints } from '../../model/endpoints/seed.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';

/** The execution timeout when neither the job's policy nor its endpoint sets one (contract rules, Queue API). */
const EXECUTION_TIMEOUT_MS: Milliseconds = 600_000;

/** Adds a new job to its endpoint's queue. */
export function admit(state: State, job: Job): void {
  queueOf(state, job.endpointId).counts.submitted += 1;
  setTimer(state, job.ttlAt, { kind: 'job-expiry', jobId: job.id });
  enterStatus(state, job);
}

/**
 * Applies an event to a job, and updates the waiting list, its worker, the counters, timers and webhooks. Returns the new
 * record; undefined, without any change, when the event is not possible in the job's status.
 */
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

/**
 * When a running job will end, in milliseconds since the epoch, and how. For a program of the user only the timeout is
 * known: its outcome is recorded when it arrives.
 */
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

/** The event that ends a job whose handler returned this outcome. */
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

/** Undoes `enterStatus` for the job's present status; `after` is its next record, undefined when it is deleted. */
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

/** Stores the record, and updates everything that depends on its status. */
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

/**
 * Removes the job from its worker, which becomes IDLE when it has no other job. A worker that requests its jobs by the
 * worker protocol still works on a job that ended before the worker finished it, and is asked to stop it.
 */
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
