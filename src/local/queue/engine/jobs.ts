import { planOf, type Outcome } from './builtin-handlers.ts';
import type { EndpointRecord } from '../../model/endpoints/record.ts';
import type { State } from '../../state/state.ts';
import { withChunks } from './chunks.ts';
import { keepForWaiters } from './waiters.ts';
import { joinLine, laneOf, leaveLine } from '../state/endpoint-queue.ts';
import { expiryOf, isTerminal, transition, type JobEvent } from './transitions.ts';
import { delayOf } from './scaling.ts';
import { beginRun, endRun } from './worker-history.ts';
import type { CountName, Job, JobStatus } from '../state/records.ts';
import { setTimer } from './timers.ts';

/** Milliseconds a job may run where neither its policy nor its endpoint says (contract rules, Queue API). */
const EXECUTION_TIMEOUT_MS = 600_000;

/** Brings a new job into its endpoint's queue. */
export function admit(state: State, job: Job): void {
  laneOf(state, job.endpointId).counts.submitted += 1;
  setTimer(state.queue, job.ttlAt, { kind: 'job-expiry', jobId: job.id });
  enter(state, job);
}

/**
 * Moves a job by an event, with all that hangs on it: its place in line, its worker, counts, timers, webhook. Gives the
 * job as it is then; undefined, and nothing changed, where the event cannot happen in the job's state.
 */
export function move(state: State, job: Job, event: JobEvent): Job | undefined {
  const upToDate = withChunks(job, state.endpoints[job.endpointId], event.at);
  const moved = transition(upToDate, event);
  if (moved === undefined) return undefined;
  leave(state, job, event.at, moved);
  enter(state, moved);
  if (event.kind === 'retry') laneOf(state, job.endpointId).counts.retried += 1;
  return moved;
}

/** Deletes a job, whatever it is doing. */
export function expire(state: State, job: Job, at: number): void {
  const lane = laneOf(state, job.endpointId);
  if (!isTerminal(job.status)) {
    leave(state, job, at, undefined);
    lane.counts.expired += 1;
  } else keepForWaiters(state, job);
  forgetDelivery(state, job.id);
  Reflect.deleteProperty(state.queue.jobs, job.id);
}

/**
 * When a running job ends by itself, milliseconds since the epoch, and how. A handler module's own end is reported by
 * what runs it: of that only the timeout is known.
 */
export function endOf(endpoint: EndpointRecord, job: Job): { readonly at: number; event(): JobEvent } {
  const startedAt = job.startedAt ?? job.queuedAt;
  const timeoutMs = job.executionTimeoutMs ?? (endpoint.timeoutMs > 0 ? endpoint.timeoutMs : EXECUTION_TIMEOUT_MS);
  const plan = endpoint.handler === 'module' ? undefined : planOf(endpoint.handler, job.input, job.attempt);
  if (plan === undefined || plan.workMs > timeoutMs) {
    const at = startedAt + timeoutMs;
    const error = `the job ran longer than its execution timeout of ${String(timeoutMs)} ms`;
    return { at, event: () => ({ kind: 'time-out', at, error }) };
  }
  const at = startedAt + plan.workMs;
  return { at, event: () => ending(plan.outcome(), at) };
}

/** A handler's outcome as what it means for its job. */
export const ending = (outcome: Outcome, at: number): JobEvent =>
  outcome.kind === 'output'
    ? { kind: 'complete', at, output: outcome.text }
    : { kind: 'fail', at, error: outcome.error };

const COUNTED: Readonly<Record<JobStatus, CountName | undefined>> = {
  IN_QUEUE: undefined,
  IN_PROGRESS: undefined,
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TIMED_OUT: 'timedOut',
};

/** Undoes what being in its state meant; `after` is the job as it will be, if there will be one. */
function leave(state: State, job: Job, at: number, after: Job | undefined): void {
  const lane = laneOf(state, job.endpointId);
  if (job.status === 'IN_QUEUE') leaveLine(lane, job);
  else if (job.status === 'IN_PROGRESS') {
    lane.inProgress -= 1;
    release(state, job, at, after);
  } else {
    const counted = COUNTED[job.status];
    if (counted !== undefined) lane.counts[counted] -= 1;
    forgetDelivery(state, job.id);
  }
}

/** Does what being in its new state means, and keeps the record. */
function enter(state: State, job: Job): void {
  const { queue } = state;
  const lane = laneOf(state, job.endpointId);
  const endpoint = state.endpoints[job.endpointId];
  queue.jobs[job.id] = job;
  if (job.status === 'IN_QUEUE') {
    joinLine(lane, job);
    if (endpoint?.scaling.type === 'QUEUE_DELAY')
      setTimer(queue, job.queuedAt + delayOf(endpoint), { kind: 'scale', endpointId: job.endpointId });
  } else if (job.status === 'IN_PROGRESS') {
    lane.inProgress += 1;
    occupy(state, job);
    if (endpoint !== undefined)
      setTimer(queue, endOf(endpoint, job).at, { kind: 'job-end', jobId: job.id, attempt: job.attempt });
  } else {
    const counted = COUNTED[job.status];
    if (counted !== undefined) lane.counts[counted] += 1;
    setTimer(queue, expiryOf(job), { kind: 'job-expiry', jobId: job.id });
    if (job.webhook !== undefined)
      queue.outbox.push({ jobId: job.id, tries: 0, nextAt: job.finishedAt ?? job.queuedAt });
  }
}

function occupy(state: State, job: Job): void {
  const { workers } = laneOf(state, job.endpointId);
  const worker = job.workerId === undefined ? undefined : workers[job.workerId];
  if (worker === undefined) return;
  const { idleSince: _idle, ...kept } = worker;
  const runs = beginRun(worker.runs, job, state.endpoints[job.endpointId]);
  workers[worker.id] = { ...kept, status: 'RUNNING', jobId: job.id, runs };
}

/** The job's worker has nothing to do from now on. */
function release(state: State, job: Job, at: number, after: Job | undefined): void {
  const { workers } = laneOf(state, job.endpointId);
  const worker = job.workerId === undefined ? undefined : workers[job.workerId];
  if (worker === undefined) return;
  const { jobId: _done, ...kept } = worker;
  workers[worker.id] = { ...kept, status: 'IDLE', idleSince: at, runs: endRun(worker.runs, at, after) };
}

function forgetDelivery(state: State, jobId: string): void {
  const { queue } = state;
  if (queue.outbox.length > 0) queue.outbox = queue.outbox.filter((delivery) => delivery.jobId !== jobId);
}
