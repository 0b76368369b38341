import type { EpochMs } from '../../core/unit-types.ts';
import { type EndpointRecord, endpoints } from '../model/endpoints.ts';
import type { Chunk, Outcome } from './jobs/builtin-handlers.ts';
import { appendChunk, takeChunks, withChunks } from './jobs/chunks.ts';
import { admit, applyEvent, endOf, eventOf, expire, expiryOf, NO_CHUNKS } from './jobs/job-status-changes.ts';
import { setTimer, sweepTimers } from './jobs/timers.ts';
import { withPrintedLines } from './jobs/worker-history.ts';
import { applySettings, reconcile, scaleOnTime, scaleWorkers, stopAllWorkers, workerReady } from './jobs/workers.ts';
import { applyWorkerTimer } from './protocol/losses.ts';
import { putWorker, queueOf, waitingJobs } from './state/endpoint-queue.ts';
import { type Job, queuesOf, type Submission, type Timer, type TimerEvent } from './state/records.ts';
import type { State } from '../state/state.ts';

/** In order of time. A change of an endpoint takes effect from the time of the previous call. */
export function advanceQueue(state: State, now: EpochMs): void {
  const queues = queuesOf(state);
  applyChanges(state, state.processedTo);
  for (let timer = queues.timers.first(); timer !== undefined && timer.at <= now; timer = queues.timers.first()) {
    queues.timers.take();
    state.processedTo = Math.max(state.processedTo, timer.at);
    if (applies(state, timer)) fire(state, timer.event, state.processedTo);
  }
  state.processedTo = Math.max(state.processedTo, now);
  sweepTimers(queues, (timer) => applies(state, timer));
}

/** All code outside the queue that changes an endpoint must call it. */
export function endpointChanged(state: State, endpointId: string): void {
  const { changed } = queuesOf(state);
  if (!changed.includes(endpointId)) changed.push(endpointId);
}

export function nextQueueEvent(state: State): number | undefined {
  const queues = queuesOf(state);
  for (let timer = queues.timers.first(); timer !== undefined; timer = queues.timers.first()) {
    if (applies(state, timer)) return timer.at;
    queues.timers.take();
  }
  return undefined;
}

/** Ids of synchronous jobs start with `sync-` (specification 2.5). */
export function submit(state: State, endpoint: EndpointRecord, submission: Submission, now: EpochMs): Job {
  state.serial += 1;
  const { sync, ttlMs, ...rest } = submission;
  const id = `${sync ? 'sync-' : ''}${state.generation}-${state.serial.toString(16).padStart(8, '0')}-u1`;
  const job: Job = {
    ...rest,
    id,
    endpointId: endpoint.id,
    status: 'IN_QUEUE',
    submittedAt: now,
    ttlAt: now + ttlMs,
    attempt: 0,
    queuedAt: now,
    stream: NO_CHUNKS,
  };
  admit(state, job);
  scaleWorkers(state, endpoint, now);
  return queuesOf(state).jobs[id] ?? job;
}

/** An ended job stays unchanged. */
export function cancel(state: State, job: Job, now: EpochMs): Job {
  const moved = applyEvent(state, job, { kind: 'cancel', at: now });
  reconcile(state, job.endpointId, now);
  return moved ?? job;
}

/** Undefined when the job is neither FAILED nor TIMED_OUT. */
export function retry(state: State, job: Job, now: EpochMs): Job | undefined {
  const moved = applyEvent(state, job, { kind: 'retry', at: now });
  reconcile(state, job.endpointId, now);
  return moved;
}

/** Waiting jobs only (specification 4.5, 7). CANCELLED until they expire, to answer waiting requests. */
export function purge(state: State, endpointId: string, now: EpochMs): number {
  const waiting = [...waitingJobs(state, queueOf(state, endpointId))];
  for (const job of waiting) applyEvent(state, job, { kind: 'cancel', at: now });
  reconcile(state, endpointId, now);
  return waiting.length;
}

export function setTimeToLive(state: State, job: Job, ttlAt: EpochMs): Job {
  const changed = { ...job, ttlAt };
  queuesOf(state).jobs[job.id] = changed;
  setTimer(state, expiryOf(changed), { kind: 'job-expiry', jobId: job.id });
  setTimer(state, ttlAt, { kind: 'job-expiry', jobId: job.id });
  return changed;
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
  reconcile(state, job.endpointId, now);
}

/** Ignored when its worker is not known any more. */
export function recordPrinted(state: State, workerId: string, lines: readonly string[], now: EpochMs): void {
  for (const queue of Object.values(queuesOf(state).byEndpoint)) {
    const worker = queue.workers[workerId];
    if (worker !== undefined) putWorker(queue, withPrintedLines(worker, lines, now));
    queue.ended = queue.ended.map((ended) => (ended.id === workerId ? withPrintedLines(ended, lines, now) : ended));
  }
}

/** Cancels its jobs and stops its workers; the endpoint stays. */
export function removeQueue(state: State, endpointId: string, now: EpochMs): void {
  const queue = queuesOf(state).byEndpoint[endpointId];
  if (queue === undefined) return;
  for (const job of Object.values(queuesOf(state).jobs))
    if (job.endpointId === endpointId) applyEvent(state, job, { kind: 'cancel', at: now });
  stopAllWorkers(state, queue, now);
  Reflect.deleteProperty(queuesOf(state).byEndpoint, endpointId);
}

function runningJob(state: State, jobId: string, attempt: number): Job | undefined {
  const job = queuesOf(state).jobs[jobId];
  return job?.status === 'IN_PROGRESS' && job.attempt === attempt ? job : undefined;
}

function fire(state: State, event: TimerEvent, at: number): void {
  switch (event.kind) {
    case 'worker-ready':
      workerReady(queueOf(state, event.endpointId), event.workerId, at);
      reconcile(state, event.endpointId, at);
      return;
    case 'scale': {
      const endpoint = endpoints.get(state, event.endpointId);
      if (endpoint !== undefined) scaleOnTime(state, endpoint, at);
      return;
    }
    case 'worker-silent':
    case 'worker-stop':
    case 'worker-killed':
      applyWorkerTimer(state, event, at);
      return;
    case 'job-end': {
      const job = runningJob(state, event.jobId, event.attempt);
      if (job !== undefined) endJob(state, job, at);
      return;
    }
    case 'job-expiry': {
      const job = queuesOf(state).jobs[event.jobId];
      if (job === undefined || expiryOf(job) > at) return;
      expire(state, job, at);
      reconcile(state, job.endpointId, at);
      return;
    }
  }
}

function endJob(state: State, job: Job, at: number): void {
  const endpoint = endpoints.get(state, job.endpointId);
  if (endpoint === undefined) return;
  const end = endOf(endpoint, job);
  // The endpoint's timeout may have been increased while the job ran.
  if (end.at > at) setTimer(state, end.at, { kind: 'job-end', jobId: job.id, attempt: job.attempt });
  else applyEvent(state, job, end.event());
  scaleWorkers(state, endpoint, at);
}

function applyChanges(state: State, at: number): void {
  const queues = queuesOf(state);
  if (queues.changed.length === 0) return;
  const changed = queues.changed;
  queues.changed = [];
  for (const endpointId of changed) {
    const endpoint = endpoints.get(state, endpointId);
    if (endpoint === undefined) removeQueue(state, endpointId, at);
    else applySettings(state, endpoint, at);
  }
}

function applies(state: State, { at, event }: Timer): boolean {
  switch (event.kind) {
    case 'worker-ready':
      return queuesOf(state).byEndpoint[event.endpointId]?.workers[event.workerId]?.status === 'INITIALIZING';
    case 'scale':
      return queuesOf(state).byEndpoint[event.endpointId]?.scaleAt === at;
    case 'worker-silent':
    case 'worker-stop':
    case 'worker-killed':
      return queuesOf(state).byEndpoint[event.endpointId]?.workers[event.workerId] !== undefined;
    case 'job-end':
      return runningJob(state, event.jobId, event.attempt) !== undefined;
    case 'job-expiry': {
      const job = queuesOf(state).jobs[event.jobId];
      return job !== undefined && (expiryOf(job) === at || job.ttlAt === at);
    }
  }
}
