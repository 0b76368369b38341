import { type EpochMs, type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { type EndpointRecord, endpoints, takesByProtocol } from '../model/endpoints.ts';
import { scale } from './autoscaler.ts';
import {
  addPrinted,
  applyEvent,
  dueAt,
  endOf,
  enterStatus,
  eventOf,
  expire,
  expiryOf,
  isTerminal,
} from './job-changes.ts';
import { appendChunk, type Chunk, NO_CHUNKS, type Outcome, takeChunks, withChunks } from './job-output.ts';
import {
  isLive,
  isQueueUnread,
  type Job,
  putJob,
  queueOf,
  queuesOf,
  type Submission,
  waitingJobs,
  type Worker,
  workersIn,
} from './records.ts';
import { loseWorker, requeueJobs, stopWorker } from './workers.ts';
import type { State } from '../state/state.ts';

/** In order of time. A change of an endpoint takes effect from the time of the previous call. */
export function advanceQueue(state: State, now: EpochMs): void {
  if (isQueueUnread(state) && now < state.quietUntil) {
    state.processedTo = Math.max(state.processedTo, now);
    return;
  }
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

/** Each crash in a row doubles the time to a new worker. */
const FIRST_BACKOFF_MS: Milliseconds = 1000;
const MAX_BACKOFF_MS: Milliseconds = MINUTE_MS;

/** An ended process. Ignored for a removed worker. */
export function recordWorkerExit(state: State, endpointId: string, workerId: string, how: string, at: EpochMs): void {
  const queue = queueOf(state, endpointId);
  const worker = queue.workers[workerId];
  if (worker?.protocol?.kind !== 'managed' || worker.status === 'UNHEALTHY') return;
  if (!isCrash(worker)) {
    loseWorker(state, queue, worker, at, how);
    scale(state, endpointId, at);
    return;
  }
  const isAtStart = worker.status === 'INITIALIZING';
  const count = (queue.crashes?.isAtStart === isAtStart ? queue.crashes.count : 0) + 1;
  // A first crash at work may have any cause: its jobs are tried again at once.
  const pauses = count - (isAtStart || worker.protocol.hasFailedStart === true ? 1 : 2);
  const until = pauses < 0 ? at : at + Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** pauses);
  queue.crashes = { count, isAtStart, until };
  worker.crashedAt = at;
  worker.crashReason = how;
  if (until <= at) loseWorker(state, queue, worker, at);
  else {
    requeueJobs(state, worker, at);
    delete worker.idleSince;
    worker.protocol.stops = [];
    worker.status = 'UNHEALTHY';
  }
  scale(state, endpointId, at);
}

/** The end of a worker without any job is a crash: else such a program would be restarted forever. */
function isCrash({ protocol, status, jobIds, runs }: Worker): boolean {
  if (protocol?.hasFailedStart === true || status === 'INITIALIZING') return true;
  return protocol?.fault === undefined && (jobIds.length > 0 || runs.length === 0);
}

/** Its program can serve no job. The next job starts it again after the first pause of crashes. */
export function refuseWaitingJobs(state: State, endpointId: string, error: string, at: EpochMs): void {
  const queue = queueOf(state, endpointId);
  for (const job of waitingJobs(state, queue)) applyEvent(state, job, { kind: 'fail', at, error });
  if ((endpoints.get(state, endpointId)?.workers.min ?? 0) === 0) delete queue.crashes;
}

/** At the start of a service no process of its workers runs: their jobs are queued again. */
export function loseAllWorkers(state: State, now: EpochMs): void {
  for (const endpoint of endpoints.all(state).filter(takesByProtocol)) {
    const queue = queueOf(state, endpoint.id);
    for (const worker of workersIn(queue)) loseWorker(state, queue, worker, now, 'the local service was started again');
    delete queue.crashes;
    scale(state, endpoint.id, now);
  }
}
