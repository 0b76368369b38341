import type { EpochMs } from '../../core/unit-types.ts';
import { type EndpointRecord, endpoints } from '../model/endpoints.ts';
import { scale } from './autoscaler.ts';
import type { Chunk, Outcome } from './builtin-handlers.ts';
import { appendChunk, NO_CHUNKS, takeChunks, withChunks } from './chunks.ts';
import { applyEvent, dueAt, endOf, enterStatus, eventOf, expire, expiryOf, isTerminal } from './job-changes.ts';
import { isLive, type Job, putJob, queueOf, queuesOf, type Submission, waitingJobs, workersIn } from './records.ts';
import { addPrinted } from './worker-history.ts';
import { stopWorker } from './workers.ts';
import type { State } from '../state/state.ts';

/** In order of time. A change of an endpoint takes effect from the time of the previous call. */
export function advanceQueue(state: State, now: EpochMs): void {
  const { timers } = queuesOf(state);
  applyChanges(state, state.processedTo);
  for (let timer = timers.takeDue(now); timer !== undefined; timer = timers.takeDue(now)) {
    if (!isLive(state, timer)) continue;
    state.processedTo = Math.max(state.processedTo, timer.at);
    const { jobId, endpointId = '' } = timer;
    if (jobId !== undefined) lookAtJob(state, jobId, state.processedTo);
    else {
      delete queueOf(state, endpointId).wakeAt;
      scale(state, endpointId, state.processedTo);
    }
  }
  state.processedTo = Math.max(state.processedTo, now);
  timers.sweep((timer) => isLive(state, timer));
}

function lookAtJob(state: State, jobId: string, at: EpochMs): void {
  const job = queuesOf(state).jobs[jobId];
  if (job === undefined) return;
  const endpoint = endpoints.get(state, job.endpointId);
  if (expiryOf(job) <= at) expire(state, job, at);
  else if (job.status === 'IN_PROGRESS' && endpoint !== undefined) {
    const end = endOf(endpoint, job);
    // The endpoint's timeout may have been increased while the job ran.
    if (end.at > at) putJob(state, job, dueAt(state, job));
    else applyEvent(state, job, end.event());
  }
  scale(state, job.endpointId, at);
}

/** All code outside the queue that changes an endpoint must call it. */
export function endpointChanged(state: State, endpointId: string): void {
  const { changed } = queuesOf(state);
  if (!changed.includes(endpointId)) changed.push(endpointId);
}

function applyChanges(state: State, at: EpochMs): void {
  for (const endpointId of queuesOf(state).changed.splice(0)) {
    if (endpoints.get(state, endpointId) === undefined) removeQueue(state, endpointId, at);
    else {
      // What crashed may be fixed now.
      delete queueOf(state, endpointId).crashes;
      scale(state, endpointId, at);
    }
  }
}

/** Ids of synchronous jobs start with `sync-` (specification 2.5). */
export function submit(state: State, endpoint: EndpointRecord, submission: Submission, now: EpochMs): Job {
  state.serial += 1;
  const { sync, ttlMs, ...rest } = submission;
  const id = `${sync ? 'sync-' : ''}${state.generation}-${state.serial.toString(16).padStart(8, '0')}-u1`;
  const job = enterStatus(state, {
    ...rest,
    id,
    endpointId: endpoint.id,
    status: 'IN_QUEUE',
    submittedAt: now,
    ttlAt: now + ttlMs,
    attempt: 0,
    queuedAt: now,
    stream: NO_CHUNKS,
  });
  scale(state, endpoint.id, now);
  return queuesOf(state).jobs[id] ?? job;
}

/** An ended job stays unchanged. */
export function cancel(state: State, job: Job, now: EpochMs): Job {
  const moved = applyEvent(state, job, { kind: 'cancel', at: now });
  scale(state, job.endpointId, now);
  return moved ?? job;
}

/** Undefined when the job is neither FAILED nor TIMED_OUT. */
export function retry(state: State, job: Job, now: EpochMs): Job | undefined {
  const moved = applyEvent(state, job, { kind: 'retry', at: now });
  scale(state, job.endpointId, now);
  return moved;
}

/** Waiting jobs only (specification 4.5, 7). CANCELLED until they expire, to answer waiting requests. */
export function purge(state: State, endpointId: string, now: EpochMs): number {
  const waiting = [...waitingJobs(state, queueOf(state, endpointId))];
  for (const job of waiting) applyEvent(state, job, { kind: 'cancel', at: now });
  scale(state, endpointId, now);
  return waiting.length;
}

export function setTimeToLive(state: State, job: Job, ttlAt: EpochMs): Job {
  const changed = { ...job, ttlAt };
  return putJob(state, changed, dueAt(state, changed));
}

/** Marks them as fetched. */
export function fetchChunks(state: State, job: Job, now: EpochMs): readonly string[] {
  const upToDate = withChunks(job, endpoints.get(state, job.endpointId), now);
  const { taken, rest } = takeChunks(upToDate.stream);
  if (upToDate !== job || taken.length > 0) queuesOf(state).jobs[job.id] = { ...upToDate, stream: rest };
  return taken;
}

/** Index from 0. Ignores an attempt that is over, and a chunk repeated by a restarted module. */
export function recordChunk(state: State, jobId: string, attempt: number, index: number, chunk: Chunk): void {
  const job = runningJob(state, jobId, attempt);
  if (job !== undefined && index >= job.stream.made)
    queuesOf(state).jobs[jobId] = { ...job, stream: appendChunk(job.stream, chunk) };
}

/** Ignored when the attempt is not running any more. */
export function recordOutcome(state: State, jobId: string, attempt: number, outcome: Outcome, now: EpochMs): void {
  const job = runningJob(state, jobId, attempt);
  if (job === undefined) return;
  applyEvent(state, job, eventOf(outcome, now));
  scale(state, job.endpointId, now);
}

function runningJob(state: State, jobId: string, attempt: number): Job | undefined {
  const job = queuesOf(state).jobs[jobId];
  return job?.status === 'IN_PROGRESS' && job.attempt === attempt ? job : undefined;
}

/** Ignored when its worker is not known any more. */
export function recordPrinted(state: State, workerId: string, lines: readonly string[], now: EpochMs): void {
  for (const queue of Object.values(queuesOf(state).byEndpoint))
    for (const worker of [...workersIn(queue), ...queue.ended])
      if (worker.id === workerId) addPrinted(worker, lines, now);
}

/** Cancels its jobs and stops its workers; the endpoint stays. */
export function removeQueue(state: State, endpointId: string, now: EpochMs): void {
  const queue = queuesOf(state).byEndpoint[endpointId];
  if (queue === undefined) return;
  for (const job of Object.values(queuesOf(state).jobs))
    if (job.endpointId === endpointId && !isTerminal(job.status)) applyEvent(state, job, { kind: 'cancel', at: now });
  for (const worker of workersIn(queue)) stopWorker(state, queue, worker, now);
  Reflect.deleteProperty(queuesOf(state).byEndpoint, endpointId);
}
