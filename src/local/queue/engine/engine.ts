import type { Chunk, Outcome } from './builtin-handlers.ts';
import type { EndpointRecord } from '../../model/endpoints/record.ts';
import type { State } from '../../state/state.ts';
import { appendChunk, takeChunks, withChunks } from './chunks.ts';
import { admit, ending, endOf, expire, move } from './jobs.ts';
import { laneOf } from '../state/endpoint-queue.ts';
import { expiryOf, NO_CHUNKS } from './transitions.ts';
import { withPrinted } from './worker-history.ts';
import type { Happening, Job, Timer } from '../state/records.ts';
import type { Submission } from '../api/submission.ts';
import { firstTimer, setTimer, sweepTimers, takeTimer } from './timers.ts';
import { dismissAll, settle, workerReady } from './workers.ts';

/**
 * Brings every queue up to a moment: what was due by then has happened, in order of time. A change made to an endpoint
 * since the last call counts from that call's moment.
 */
export function advanceQueue(state: State, now: number): void {
  const { queue } = state;
  dropOrphans(state);
  settleAll(state, queue.asOf);
  for (let timer = firstTimer(queue); timer !== undefined && timer.at <= now; timer = firstTimer(queue)) {
    takeTimer(queue);
    queue.asOf = Math.max(queue.asOf, timer.at);
    happen(state, timer.what, queue.asOf);
  }
  queue.asOf = Math.max(queue.asOf, now);
  settleAll(state, queue.asOf);
  sweepTimers(queue, (timer) => isLive(state, timer));
}

/** The next moment at which something changes by itself; undefined where all is at rest. */
export function nextQueueEvent(state: State): number | undefined {
  const { queue } = state;
  for (let timer = firstTimer(queue); timer !== undefined; timer = firstTimer(queue)) {
    if (isLive(state, timer)) return timer.at;
    takeTimer(queue);
  }
  return undefined;
}

/** Takes a job in. `sync` ids carry their prefix (specification 2.5). */
export function submit(state: State, endpoint: EndpointRecord, submission: Submission, now: number): Job {
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
  settle(state, endpoint, now);
  return state.queue.jobs[id] ?? job;
}

/** Cancels a job that waits or runs; any other stays as it is. Gives the job as it is then. */
export function cancel(state: State, job: Job, now: number): Job {
  const moved = move(state, job, { kind: 'cancel', at: now });
  settleLane(state, job.endpointId, now);
  return moved ?? job;
}

/** Puts a FAILED or TIMED_OUT job back in the queue; undefined where the job is anything else. */
export function retry(state: State, job: Job, now: number): Job | undefined {
  const moved = move(state, job, { kind: 'retry', at: now });
  settleLane(state, job.endpointId, now);
  return moved;
}

/**
 * Removes all jobs that wait; those in progress go on (specification 4.5, 7). A removed job reads CANCELLED until it
 * expires, as one that was cancelled before it started does, so that whoever waits for it learns what became of it.
 */
export function purge(state: State, endpointId: string, now: number): number {
  const lane = laneOf(state, endpointId);
  const waiting = [...lane.waiting, ...lane.waitingLow];
  // At once, where job after job would look for its place in line.
  lane.waiting = [];
  lane.waitingLow = [];
  for (const id of waiting) {
    const job = state.queue.jobs[id];
    if (job !== undefined) move(state, job, { kind: 'cancel', at: now });
  }
  return waiting.length;
}

/** Sets when a job is deleted at the latest, milliseconds since the epoch. */
export function setTimeToLive(state: State, job: Job, ttlAt: number): Job {
  const changed = { ...job, ttlAt };
  state.queue.jobs[job.id] = changed;
  setTimer(state.queue, expiryOf(changed), { kind: 'job-expiry', jobId: job.id });
  setTimer(state.queue, ttlAt, { kind: 'job-expiry', jobId: job.id });
  return changed;
}

/** Takes the chunks that nobody has fetched yet. */
export function fetchChunks(state: State, job: Job, now: number): readonly string[] {
  const upToDate = withChunks(job, state.endpoints[job.endpointId], now);
  const { taken, rest } = takeChunks(upToDate.stream);
  if (upToDate !== job || taken.length > 0) state.queue.jobs[job.id] = { ...upToDate, stream: rest };
  return taken;
}

/**
 * A handler module has yielded its chunk of that number, from 0; ignored where the job has moved on, and where a module
 * that was started over yields again what is there already.
 */
export function reportChunk(state: State, jobId: string, attempt: number, index: number, chunk: Chunk): void {
  const job = runningJob(state, jobId, attempt);
  if (job !== undefined && index >= job.stream.made)
    state.queue.jobs[jobId] = { ...job, stream: appendChunk(job.stream, chunk) };
}

/** A handler module has ended; ignored where the job has moved on. */
export function reportEnd(state: State, jobId: string, attempt: number, outcome: Outcome, now: number): void {
  const job = runningJob(state, jobId, attempt);
  if (job === undefined) return;
  move(state, job, ending(outcome, now));
  settleLane(state, job.endpointId, now);
}

/** A handler module has printed whole lines; ignored where nobody remembers its worker. */
export function reportPrinted(state: State, workerId: string, lines: readonly string[], now: number): void {
  for (const lane of Object.values(state.queue.lanes)) {
    const worker = lane.workers[workerId];
    if (worker !== undefined) lane.workers[workerId] = withPrinted(worker, lines, now);
    lane.ended = lane.ended.map((ended) => (ended.id === workerId ? withPrinted(ended, lines, now) : ended));
  }
}

/** Ends an endpoint's queue: jobs that wait or run are cancelled, workers gone. Does not remove the endpoint itself. */
export function dropEndpoint(state: State, endpointId: string, now: number): void {
  const lane = state.queue.lanes[endpointId];
  if (lane === undefined) return;
  for (const job of Object.values(state.queue.jobs))
    if (job.endpointId === endpointId) move(state, job, { kind: 'cancel', at: now });
  dismissAll(state, lane, now);
  Reflect.deleteProperty(state.queue.lanes, endpointId);
}

function runningJob(state: State, jobId: string, attempt: number): Job | undefined {
  const job = state.queue.jobs[jobId];
  return job?.status === 'IN_PROGRESS' && job.attempt === attempt ? job : undefined;
}

function happen(state: State, what: Happening, at: number): void {
  switch (what.kind) {
    case 'worker-ready':
      workerReady(laneOf(state, what.endpointId), what.workerId, at);
      settleLane(state, what.endpointId, at);
      return;
    case 'scale':
      settleLane(state, what.endpointId, at);
      return;
    case 'job-end': {
      const job = runningJob(state, what.jobId, what.attempt);
      if (job !== undefined) endJob(state, job, at);
      return;
    }
    case 'job-expiry': {
      const job = state.queue.jobs[what.jobId];
      if (job === undefined || expiryOf(job) > at) return;
      expire(state, job, at);
      settleLane(state, job.endpointId, at);
      return;
    }
  }
}

function endJob(state: State, job: Job, at: number): void {
  const endpoint = state.endpoints[job.endpointId];
  if (endpoint === undefined) return;
  const end = endOf(endpoint, job);
  // The endpoint's timeout may have been raised while the job ran.
  if (end.at > at) setTimer(state.queue, end.at, { kind: 'job-end', jobId: job.id, attempt: job.attempt });
  else move(state, job, end.event());
  settle(state, endpoint, at);
}

function settleLane(state: State, endpointId: string, at: number): void {
  const endpoint = state.endpoints[endpointId];
  if (endpoint !== undefined) settle(state, endpoint, at);
}

function settleAll(state: State, at: number): void {
  for (const endpointId of Object.keys(state.endpoints)) settleLane(state, endpointId, at);
}

/** Whatever removed an endpoint, its queue does not outlive it. */
function dropOrphans(state: State): void {
  for (const endpointId of Object.keys(state.queue.lanes))
    if (state.endpoints[endpointId] === undefined) dropEndpoint(state, endpointId, state.queue.asOf);
}

/** Whether a timer still has something to do. */
function isLive(state: State, { at, what }: Timer): boolean {
  switch (what.kind) {
    case 'worker-ready':
      return state.queue.lanes[what.endpointId]?.workers[what.workerId]?.status === 'INITIALIZING';
    case 'scale':
      return state.endpoints[what.endpointId] !== undefined;
    case 'job-end':
      return runningJob(state, what.jobId, what.attempt) !== undefined;
    case 'job-expiry': {
      const job = state.queue.jobs[what.jobId];
      return job !== undefined && (expiryOf(job) === at || job.ttlAt === at);
    }
  }
}
