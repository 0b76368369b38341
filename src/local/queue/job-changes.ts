import { type EpochMs, type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { builtinOf, type EndpointRecord, endpoints } from '../model/endpoints.ts';
import { NO_CHUNKS, type Outcome, planOf, withChunks } from './job-output.ts';
import {
  type FinalStatus,
  type Job,
  type JobStatus,
  putJob,
  queueOf,
  queuesOf,
  realNow,
  type Run,
  waitingLine,
  wakeEndpoint,
  type Worker,
} from './records.ts';
import type { State } from '../state/state.ts';

const MAX_RUNS = 50;
const MAX_ERROR_LENGTH = 500;
const MAX_NOTES = 5;
/** How many printed lines are kept per worker: the first, and the newest, of which a log shows as many. */
const FIRST_LINES = 100;
const NEWEST_LINES = 5000;

function beginRun({ runs }: Worker, job: Job, endpoint: EndpointRecord | undefined): void {
  const handler = builtinOf(endpoint);
  runs.push({
    jobId: job.id,
    attempt: job.attempt,
    from: job.startedAt ?? job.queuedAt,
    inputBytes: Buffer.byteLength(job.input),
    chunks: handler === undefined ? 0 : planOf(handler, job.input, job.attempt).chunksBy(Number.POSITIVE_INFINITY),
  });
  if (runs.length > MAX_RUNS) runs.shift();
}

/** `after` is undefined when the job was deleted. A run that was dropped is ignored. */
function endRun(worker: Worker, jobId: string, to: EpochMs, after: Job | undefined): void {
  const run = runOf(worker, jobId);
  if (run === undefined) return;
  run.to = to;
  run.end = after === undefined ? 'DELETED' : after.status === 'IN_QUEUE' ? 'LOST' : after.status;
  if (after?.output !== undefined) run.outputBytes = Buffer.byteLength(after.output);
  if (after?.error !== undefined) run.error = after.error.slice(0, MAX_ERROR_LENGTH);
}

/** False when it has that line or does not run the job. */
export function noteRun(worker: Worker | undefined, jobId: string, line: string, at: EpochMs): boolean {
  const run = worker && runOf(worker, jobId);
  if (run === undefined || run.to !== undefined || run.notes?.some((note) => note.line === line) === true) return false;
  run.notes = [...(run.notes ?? []), { at, line }].slice(-MAX_NOTES);
  return true;
}

const runOf = ({ runs }: Worker, jobId: string): Run | undefined => runs.findLast((run) => run.jobId === jobId);

/** A line in the middle says how many were left out there. */
export function addPrinted(worker: Worker, lines: readonly string[], at: EpochMs): void {
  const printed = (worker.printed ??= []);
  for (const line of lines) printed.push({ at, line });
  const hasMark = worker.leftOut !== undefined;
  const excess = printed.length - FIRST_LINES - NEWEST_LINES - (hasMark ? 1 : 0);
  if (excess <= 0) return;
  worker.leftOut = (worker.leftOut ?? 0) + excess;
  const next = printed[FIRST_LINES + excess + (hasMark ? 1 : 0)];
  const mark = { at: next?.at ?? at, line: `(${String(worker.leftOut)} lines left out here)` };
  printed.splice(FIRST_LINES, excess + (hasMark ? 1 : 0), mark);
}

export type JobEvent = { readonly at: EpochMs } & (
  | { readonly kind: 'start'; readonly workerId: string }
  | { readonly kind: 'complete'; readonly output: string }
  /** A waiting job fails when the program of its endpoint can serve no job. */
  | { readonly kind: 'fail' | 'time-out'; readonly error: string }
  | { readonly kind: 'cancel' | 'lose' | 'retry' }
);

/** Specification 3.2 shows cancel and retry; workers make the others. All else is not possible. */
const NEXT: Readonly<Record<JobStatus, Readonly<Partial<Record<JobEvent['kind'], JobStatus>>>>> = {
  IN_QUEUE: { start: 'IN_PROGRESS', cancel: 'CANCELLED', fail: 'FAILED' },
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

export const isTerminal = (status: JobStatus): status is FinalStatus =>
  status !== 'IN_QUEUE' && status !== 'IN_PROGRESS';

export const nextStatus = (status: JobStatus, event: JobEvent['kind']): JobStatus | undefined => NEXT[status][event];

export function transition(job: Job, event: JobEvent): Job | undefined {
  const status = nextStatus(job.status, event.kind);
  if (status === undefined) return undefined;
  // Progress and the copies of chunks belong to a running job, a result to an ended one.
  const { output: _output, error: _error, streamed: _streamed, ...kept } = job;
  switch (event.kind) {
    case 'start':
      return { ...kept, status, startedAt: event.at, workerId: event.workerId, attempt: job.attempt + 1 };
    case 'complete':
      return { ...kept, status, finishedAt: event.at, output: event.output };
    case 'fail':
    case 'time-out':
      return { ...kept, status, finishedAt: event.at, error: event.error };
    case 'cancel':
      return { ...kept, status, finishedAt: event.at };
    case 'lose':
    case 'retry': {
      const { startedAt: _started, finishedAt: _finished, workerId: _worker, ...waiting } = kept;
      return { ...waiting, status, queuedAt: event.at, stream: NO_CHUNKS };
    }
  }
}

/** Undefined, without any change, when the event is not possible in the job's status. */
export function applyEvent(state: State, job: Job, event: JobEvent): Job | undefined {
  const moved = transition(withChunks(job, endpoints.get(state, job.endpointId), event.at), event);
  if (moved === undefined) return undefined;
  leaveStatus(state, job, event.at, moved);
  if (event.kind === 'retry' || event.kind === 'lose') queueOf(state, job.endpointId).counts.retried += 1;
  return enterStatus(state, moved);
}

export function enterStatus(state: State, job: Job): Job {
  const queue = queueOf(state, job.endpointId);
  const worker = queue.workers[job.workerId ?? ''];
  if (job.status === 'IN_QUEUE') waitingLine(queue, job).add(job.id);
  else if (isTerminal(job.status)) {
    queue.counts[job.status] += 1;
    if (job.webhook !== undefined)
      queuesOf(state).deliveries.push({ jobId: job.id, attempts: 0, nextAt: job.finishedAt ?? job.queuedAt });
  } else if (worker !== undefined) {
    delete worker.idleSince;
    worker.status = 'RUNNING';
    worker.jobIds.push(job.id);
    beginRun(worker, job, endpoints.get(state, job.endpointId));
  }
  return putJob(state, job, dueAt(state, job));
}

/** Undoes `enterStatus`; `after` is undefined when the job is deleted. */
function leaveStatus(state: State, job: Job, at: EpochMs, after: Job | undefined): void {
  const queue = queueOf(state, job.endpointId);
  const worker = queue.workers[job.workerId ?? ''];
  if (job.status === 'IN_QUEUE') waitingLine(queue, job).delete(job.id);
  else if (isTerminal(job.status)) {
    // A deleted job stays counted.
    if (after !== undefined) queue.counts[job.status] -= 1;
    const queues = queuesOf(state);
    if (job.webhook !== undefined) queues.deliveries = queues.deliveries.filter(({ jobId }) => jobId !== job.id);
  } else if (worker !== undefined) {
    worker.jobIds.splice(worker.jobIds.indexOf(job.id), 1);
    endRun(worker, job.id, at, after);
    const isKnown = after?.status === 'COMPLETED' || after?.status === 'FAILED' || after?.status === 'IN_QUEUE';
    if (worker.protocol !== undefined && !isKnown) {
      // It may still work on the job: it is not idle until it has stopped it (contract, worker protocol: job-stop).
      worker.protocol.stops.push({ jobId: job.id, since: realNow(state), isSent: false });
      wakeEndpoint(state, queue, job.endpointId, at + STOP_GRACE_MS);
    }
    freeWorker(worker, at);
  }
}

export const STOP_GRACE_MS: Milliseconds = 5000;

/** Unless it works on a job, its own or one that it must stop. */
export function freeWorker(worker: Worker, at: EpochMs): void {
  if (worker.status !== 'RUNNING' || worker.jobIds.length > 0 || (worker.protocol?.stops.length ?? 0) > 0) return;
  worker.status = 'IDLE';
  worker.idleSince = at;
}

export function expire(state: State, job: Job, at: EpochMs): void {
  leaveStatus(state, job, at, undefined);
  if (!isTerminal(job.status)) queueOf(state, job.endpointId).counts.expired += 1;
  Reflect.deleteProperty(queuesOf(state).jobs, job.id);
}

/** End of its time to live or of its retention, whichever comes first (specification 8.2). */
export const expiryOf = (job: Job): EpochMs =>
  job.finishedAt === undefined ? job.ttlAt : Math.min(job.ttlAt, job.finishedAt + job.retentionMs);

export function dueAt(state: State, job: Job): EpochMs {
  const endpoint = job.status === 'IN_PROGRESS' ? endpoints.get(state, job.endpointId) : undefined;
  return Math.min(expiryOf(job), endpoint === undefined ? Number.POSITIVE_INFINITY : endOf(endpoint, job).at);
}

/** The execution timeout when neither the job's policy nor its endpoint sets one (contract rules, Queue API). */
const EXECUTION_TIMEOUT_MS: Milliseconds = 10 * MINUTE_MS;

/** For a program of the user only the timeout is known: its outcome is recorded when it arrives. */
export function endOf(endpoint: EndpointRecord, job: Job): { readonly at: EpochMs; event(): JobEvent } {
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

export const eventOf = (outcome: Outcome, at: EpochMs): JobEvent =>
  outcome.kind === 'output'
    ? { kind: 'complete', at, output: outcome.text }
    : { kind: 'fail', at, error: outcome.error };
