import { decodeJson, isObject } from '../../../core/json.ts';
import type { State } from '../../state/state.ts';
import { putWorker, queueOf } from '../state/endpoint-queue.ts';
import { queuesOf, type Job } from '../state/records.ts';
import { appendChunk } from '../jobs/chunks.ts';
import { applyEvent } from '../jobs/job-status-changes.ts';
import { reconcile, stopWorker } from '../jobs/workers.ts';
import { changeProtocol } from '../jobs/stops.ts';
import { withNote } from '../jobs/worker-history.ts';
import { endStops, seen } from './takes.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

export interface JobOnWorker {
  readonly endpointId: string;
  readonly workerId: string;
  readonly jobId: string;
}

/** Texts are JSON. */
export interface Result {
  readonly outcome:
    { readonly kind: 'error'; readonly error: string } | { readonly kind: 'output'; readonly text: string | undefined };
  /** True when the chunks were sent before, one by one: an empty output means all of them. */
  readonly isStream: boolean;
  /** True when the worker must be replaced after its jobs. */
  readonly isLeaving: boolean;
}

/** False when the worker no longer runs the job or reported it before (worker protocol: done). */
export function recordResult(state: State, where: JobOnWorker, result: Result, now: EpochMs): boolean {
  const job = jobOnWorker(state, where);
  letGo(state, where, now);
  if (result.isLeaving) leave(state, where);
  if (job !== undefined) {
    const { outcome } = result;
    const notes = outcome.kind === 'error' ? linesOfFailedStart(outcome.error) : undefined;
    if (notes === undefined) delete queueOf(state, where.endpointId).crashes;
    else noteFailedStart(state, where, notes, now);
    applyEvent(
      state,
      job,
      outcome.kind === 'error'
        ? { kind: 'fail', at: now, error: outcome.error }
        : { kind: 'complete', at: now, output: outputOf(job, outcome.text, result.isStream) },
    );
  }
  stopWhenDone(state, where, now);
  reconcile(state, where.endpointId, now);
  return job !== undefined;
}

/** What a worker's library says of its prestart hooks; undefined for any other error (additions of November, 23). */
function linesOfFailedStart(error: string): readonly string[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(error);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { event, hook, error_message: message, logs } = value;
  if (event !== 'prestart_failed' && event !== 'prestart_cancelled') return undefined;
  const subject = typeof hook === 'string' ? `prestart hook ${hook}` : 'prestart';
  const printed = typeof logs === 'string' ? logs.trimEnd().split('\n').slice(-LAST_LINES) : [];
  return [
    `${subject} ${event === 'prestart_failed' ? 'failed' : 'cancelled'}: ${typeof message === 'string' ? message : 'no message'}`,
    ...printed,
  ];
}

const LAST_LINES = 4;

/** The end of such a worker counts as a crash at its start: it is not started again at once. */
function noteFailedStart(state: State, where: JobOnWorker, lines: readonly string[], now: EpochMs): void {
  const queue = queueOf(state, where.endpointId);
  for (const line of lines) {
    const worker = queue.workers[where.workerId];
    const noted = worker === undefined ? undefined : withNote(worker, where.jobId, line, now);
    if (noted !== undefined) putWorker(queue, noted);
  }
  const worker = queue.workers[where.workerId];
  if (worker?.protocol !== undefined) changeProtocol(queue, worker, { hasFailedStart: true });
}

/** Shown by `status` as the output. Ignored as for `recordResult`. `text` is JSON. */
export function recordProgress(state: State, where: JobOnWorker, text: string): void {
  const job = jobOnWorker(state, where);
  seen(state, queueOf(state, where.endpointId), where.workerId);
  if (job !== undefined) queuesOf(state).jobs[job.id] = { ...job, output: text };
}

/** Ignored as for `recordResult`. `text` is JSON. */
export function recordStreamed(state: State, where: JobOnWorker, text: string): void {
  const job = jobOnWorker(state, where);
  seen(state, queueOf(state, where.endpointId), where.workerId);
  if (job === undefined) return;
  const stream = appendChunk(job.stream, { output: decodeJson(text), metrics: {} });
  queuesOf(state).jobs[job.id] = { ...job, stream, streamed: [...(job.streamed ?? []), text] };
}

export const runsJob = (state: State, where: JobOnWorker): boolean => jobOnWorker(state, where) !== undefined;

/** Undefined while an injected `hang` prevents its result. */
function jobOnWorker(state: State, { endpointId, workerId, jobId }: JobOnWorker): Job | undefined {
  const job = queuesOf(state).jobs[jobId];
  if (job?.status !== 'IN_PROGRESS' || job.endpointId !== endpointId || job.workerId !== workerId) return undefined;
  const worker = queueOf(state, endpointId).workers[workerId];
  const fault = worker?.protocol?.fault;
  return worker === undefined || (fault?.kind === 'hang' && fault.jobId === jobId) ? undefined : job;
}

/** Empty or absent after a stream: the list of the chunks. Otherwise absent: an empty object. */
function outputOf(job: Job, text: string | undefined, isStream: boolean): string {
  if (isStream && (text === undefined || /^\[\s*\]$/.test(text))) return `[${(job.streamed ?? []).join(',')}]`;
  return text ?? '{}';
}

/** A worker that reports a job that it was asked to stop has stopped it. */
function letGo(state: State, { endpointId, workerId, jobId }: JobOnWorker, now: EpochMs): void {
  const queue = queueOf(state, endpointId);
  const worker = seen(state, queue, workerId);
  if (worker !== undefined) endStops(state, queue, worker, now, (id) => id === jobId);
}

function leave(state: State, { endpointId, workerId }: JobOnWorker): void {
  const queue = queueOf(state, endpointId);
  const worker = queue.workers[workerId];
  if (worker?.protocol === undefined) return;
  changeProtocol(queue, worker, { isLeaving: true });
  queue.signals += 1;
}

function stopWhenDone(state: State, { endpointId, workerId }: JobOnWorker, now: EpochMs): void {
  const queue = queueOf(state, endpointId);
  const worker = queue.workers[workerId];
  if (worker?.protocol?.isLeaving === true && worker.status !== 'RUNNING')
    stopWorker(state, queue, worker, now, 'replaced, as it asked');
}
