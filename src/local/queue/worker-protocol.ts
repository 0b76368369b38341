import type { EpochMs } from '../../core/unit-types.ts';
import { decodeJson, isObject } from '../../core/json.ts';
import { type EndpointRecord, placementsFor } from '../model/endpoints.ts';
import type { State } from '../state/state.ts';
import { scale } from './autoscaler.ts';
import { appendChunk } from './job-output.ts';
import { applyEvent, noteRun, STOP_GRACE_MS } from './job-changes.ts';
import {
  type Job,
  queueOf,
  queuesOf,
  realNow,
  waitingJobs,
  type Worker,
  type WorkerFault,
  workersIn,
} from './records.ts';
import { addWorker, didNotStop, endStops, kills, loseWorker, stopWorker, workerReady } from './workers.ts';

/** When there are this many, attaching is refused. */
export const MAX_WORKERS = 1000;

/** Ids made by scaling: an unknown worker with such an id was removed, and cannot attach. */
const MANAGED_ID = /^w[0-9a-f]{7,}$/;

/** The answer to a request for jobs: jobs; none now; or none ever, because the worker must end. */
export type Take =
  | { readonly kind: 'jobs'; readonly jobs: readonly Job[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'leave' };

export interface TakeRequest {
  readonly workerId: string;
  readonly count: number;
  readonly isWorking: boolean;
}

export interface JobOnWorker {
  readonly endpointId: string;
  readonly workerId: string;
  readonly jobId: string;
}

const workerOf = (state: State, endpointId: string, workerId: string): Worker | undefined =>
  queuesOf(state).byEndpoint[endpointId]?.workers[workerId];

function seenWorker(state: State, endpointId: string, workerId: string): Worker | undefined {
  const worker = workerOf(state, endpointId, workerId);
  if (worker?.protocol !== undefined) worker.protocol.seenAt = realNow(state);
  return worker;
}

export const canAttach = (state: State, endpointId: string, workerId: string): boolean =>
  workerOf(state, endpointId, workerId) !== undefined || workersIn(queueOf(state, endpointId)).length < MAX_WORKERS;

/** Everything that a killed worker sends is ignored. */
export const isKilled = (state: State, endpointId: string, workerId: string): boolean =>
  kills(workerOf(state, endpointId, workerId)?.protocol?.fault);

/** `notes` are new lines of its system log: jobs that it has without working on them. */
export function takeJobs(
  state: State,
  endpoint: EndpointRecord,
  request: TakeRequest,
  at: EpochMs,
): Take & { readonly notes: readonly string[] } {
  const queue = queueOf(state, endpoint.id);
  const { workerId, isWorking } = request;
  if (queue.workers[workerId] === undefined && !MANAGED_ID.test(workerId)) {
    const [hardware = { dataCenterId: 'LOCAL' }] = placementsFor(state, endpoint);
    addWorker({ state, queue, endpoint, at }, workerId, hardware, 'attached');
  }
  const worker = seenWorker(state, endpoint.id, workerId);
  if (worker === undefined) return { kind: 'leave', notes: [] };
  if (worker.status === 'INITIALIZING') {
    workerReady(worker, at);
    if (queue.crashes?.isAtStart === true) delete queue.crashes;
  }
  // One that works on no job has stopped every job that it was asked to stop.
  if (!isWorking) endStops(worker, at, () => true);
  const notes = isWorking ? [] : worker.jobIds.flatMap((jobId) => noteForgotten(worker, jobId, at));
  const taken = retryTake(state, endpoint, request, at);
  scale(state, endpoint.id, at);
  return { ...taken, notes };
}

/** It keeps the job: its result may still come. */
function noteForgotten(worker: Worker, jobId: string, at: EpochMs): readonly string[] {
  const line = `asked for its next job, and has sent no result of job ${jobId}, which runs until its execution timeout`;
  return noteRun(worker, jobId, line, at) ? [line] : [];
}

/** A worker that was removed, or whose process has ended, must leave. */
export function retryTake(state: State, endpoint: EndpointRecord, request: TakeRequest, at: EpochMs): Take {
  const queue = queueOf(state, endpoint.id);
  const worker = seenWorker(state, endpoint.id, request.workerId);
  // The process of an UNHEALTHY worker has ended: this request is an old one, or that of a process that it left running.
  if (worker?.protocol === undefined || worker.protocol.isLeaving === true || worker.status === 'UNHEALTHY')
    return { kind: 'leave' };
  if (worker.protocol.fault !== undefined && worker.protocol.fault.kind !== 'silent') return { kind: 'none' };
  const jobs: Job[] = [];
  for (const job of waitingJobs(state, queue)) {
    if (jobs.length === request.count) break;
    const started = applyEvent(state, job, { kind: 'start', at, workerId: worker.id });
    if (started !== undefined) jobs.push(started);
  }
  if (jobs.length === 0) return { kind: 'none' };
  scale(state, endpoint.id, at);
  return { kind: 'jobs', jobs };
}

/** Queues jobs again that were sent to a worker whose connection had already ended, so that it never received them. */
export function takeBack(state: State, jobs: readonly Job[], at: EpochMs): void {
  for (const { id, attempt, endpointId } of jobs) {
    const job = queuesOf(state).jobs[id];
    if (job?.status === 'IN_PROGRESS' && job.attempt === attempt) applyEvent(state, job, { kind: 'lose', at });
    scale(state, endpointId, at);
  }
}

export function injectFault(state: State, job: Job, kind: WorkerFault['kind'], at: EpochMs): void {
  const worker = workerOf(state, job.endpointId, job.workerId ?? '');
  if (worker?.protocol !== undefined) worker.protocol.fault = { kind, jobId: job.id, since: at };
  scale(state, job.endpointId, at);
}

/** Stops missing from its ids are done; a managed worker that sends one after the grace is stopped. */
export function recordPing(
  state: State,
  endpointId: string,
  workerId: string,
  jobIds: ReadonlySet<string>,
  at: EpochMs,
): void {
  const worker = seenWorker(state, endpointId, workerId);
  if (worker?.protocol === undefined) return;
  const { kind, stops } = worker.protocol;
  const overdue = stops.find(({ jobId, since }) => jobIds.has(jobId) && since + STOP_GRACE_MS <= realNow(state));
  if (overdue !== undefined && kind === 'managed')
    loseWorker(state, queueOf(state, endpointId), worker, at, didNotStop(overdue.jobId));
  else endStops(worker, at, (jobId) => !jobIds.has(jobId));
  scale(state, endpointId, at);
}

/** Marks them as sent. None for an unknown worker; `leave` when it was removed. */
export function takeStops(state: State, endpointId: string, workerId: string): readonly string[] | 'leave' {
  const { protocol } = seenWorker(state, endpointId, workerId) ?? {};
  if (protocol === undefined) return MANAGED_ID.test(workerId) ? 'leave' : [];
  const unsent = protocol.stops.filter(({ isSent }) => !isSent);
  for (const stop of unsent) stop.isSent = true;
  return unsent.map(({ jobId }) => jobId);
}

export interface Result {
  readonly outcome:
    | { readonly kind: 'error'; readonly error: string }
    | { readonly kind: 'output'; readonly text: string | undefined };
  /** True when the chunks were sent before, one by one: an empty output means all of them. */
  readonly isStream: boolean;
  /** True when the worker must be replaced after its jobs. */
  readonly isLeaving: boolean;
}

/** Ignored when the worker no longer runs the job or reported it before (worker protocol: done). */
export function recordResult(state: State, where: JobOnWorker, result: Result, at: EpochMs): void {
  const { endpointId, workerId, jobId } = where;
  const queue = queueOf(state, endpointId);
  const job = jobOnWorker(state, where);
  const worker = seenWorker(state, endpointId, workerId);
  if (worker?.protocol === undefined) return;
  // A worker that reports a job that it was asked to stop has stopped it.
  endStops(worker, at, (id) => id === jobId);
  if (result.isLeaving) worker.protocol.isLeaving = true;
  if (job !== undefined) {
    const { outcome } = result;
    const lines = outcome.kind === 'error' ? linesOfFailedStart(outcome.error) : [];
    // The end of a worker whose start failed counts as a crash: it is not started again at once.
    if (lines.length > 0) worker.protocol.hasFailedStart = true;
    else delete queue.crashes;
    for (const line of lines) noteRun(worker, jobId, line, at);
    applyEvent(
      state,
      job,
      outcome.kind === 'error'
        ? { kind: 'fail', at, error: outcome.error }
        : { kind: 'complete', at, output: outputOf(job, outcome.text, result.isStream) },
    );
  }
  if (worker.protocol.isLeaving === true && worker.status !== 'RUNNING')
    stopWorker(state, queue, worker, at, 'replaced, as it asked');
  scale(state, endpointId, at);
}

const LAST_LINES = 4;

/** What a worker's library says of its prestart hooks; none for any other error (additions of November, 23). */
function linesOfFailedStart(error: string): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(error);
  } catch {
    return [];
  }
  if (!isObject(value)) return [];
  const { event, hook, error_message: message, logs } = value;
  if (event !== 'prestart_failed' && event !== 'prestart_cancelled') return [];
  const subject = typeof hook === 'string' ? `prestart hook ${hook}` : 'prestart';
  const verb = event === 'prestart_failed' ? 'failed' : 'cancelled';
  return [
    `${subject} ${verb}: ${typeof message === 'string' ? message : 'no message'}`,
    ...(typeof logs === 'string' ? logs.trimEnd().split('\n').slice(-LAST_LINES) : []),
  ];
}

/** Shown by `status` as the output. Ignored as for `recordResult`. `text` is JSON. */
export function recordProgress(state: State, where: JobOnWorker, text: string): void {
  const job = jobOnWorker(state, where);
  seenWorker(state, where.endpointId, where.workerId);
  if (job !== undefined) queuesOf(state).jobs[job.id] = { ...job, output: text };
}

/** Ignored as for `recordResult`. `text` is JSON. */
export function recordStreamed(state: State, where: JobOnWorker, text: string): void {
  const job = jobOnWorker(state, where);
  seenWorker(state, where.endpointId, where.workerId);
  if (job === undefined) return;
  const stream = appendChunk(job.stream, { output: decodeJson(text), metrics: {} });
  queuesOf(state).jobs[job.id] = { ...job, stream, streamed: [...(job.streamed ?? []), text] };
}

/** Empty or absent after a stream: the list of the chunks. Otherwise absent: an empty object. */
function outputOf(job: Job, text: string | undefined, isStream: boolean): string {
  if (isStream && (text === undefined || /^\[\s*\]$/.test(text))) return `[${(job.streamed ?? []).join(',')}]`;
  return text ?? '{}';
}

export const runsJob = (state: State, where: JobOnWorker): boolean => jobOnWorker(state, where) !== undefined;

/** False when the line is there already: a worker repeats a refused request. */
export const noteAboutJob = (state: State, where: JobOnWorker, line: string, at: EpochMs): boolean =>
  runsJob(state, where) && noteRun(workerOf(state, where.endpointId, where.workerId), where.jobId, line, at);

/** Undefined while an injected `hang` prevents its result. */
function jobOnWorker(state: State, { endpointId, workerId, jobId }: JobOnWorker): Job | undefined {
  const job = queuesOf(state).jobs[jobId];
  const worker = workerOf(state, endpointId, workerId);
  const fault = worker?.protocol?.fault;
  if (worker?.jobIds.includes(jobId) !== true || (fault?.kind === 'hang' && fault.jobId === jobId)) return undefined;
  return job;
}
