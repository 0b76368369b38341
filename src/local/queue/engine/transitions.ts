import type { Job, JobStatus, StreamPosition } from '../state/records.ts';

/** What can happen to a job. `at` is milliseconds since the epoch. */
export type JobEvent =
  | { readonly kind: 'start'; readonly at: number; readonly workerId: string }
  | { readonly kind: 'complete'; readonly at: number; readonly output: string | undefined }
  | { readonly kind: 'fail'; readonly at: number; readonly error: string }
  | { readonly kind: 'time-out'; readonly at: number; readonly error: string }
  | { readonly kind: 'cancel'; readonly at: number }
  | { readonly kind: 'retry'; readonly at: number };

/**
 * The states and what leads out of each (specification 3.2; it shows cancel and retry, the others are what a worker
 * does). What is not in this table cannot happen.
 */
const NEXT: Readonly<Record<JobStatus, Readonly<Partial<Record<JobEvent['kind'], JobStatus>>>>> = {
  IN_QUEUE: { start: 'IN_PROGRESS', cancel: 'CANCELLED' },
  IN_PROGRESS: { complete: 'COMPLETED', fail: 'FAILED', 'time-out': 'TIMED_OUT', cancel: 'CANCELLED' },
  FAILED: { retry: 'IN_QUEUE' },
  TIMED_OUT: { retry: 'IN_QUEUE' },
  COMPLETED: {},
  CANCELLED: {},
};

export const NO_CHUNKS: StreamPosition = { made: 0, numbered: 0, pending: [] };

export const isTerminal = (status: JobStatus): boolean => status !== 'IN_QUEUE' && status !== 'IN_PROGRESS';

/** Where an event leads from a state; undefined where it cannot happen there. */
export const nextStatus = (status: JobStatus, event: JobEvent['kind']): JobStatus | undefined => NEXT[status][event];

/** The job after an event, a new record; undefined where the event cannot happen in the job's state. */
export function transition(job: Job, event: JobEvent): Job | undefined {
  const status = nextStatus(job.status, event.kind);
  if (status === undefined) return undefined;
  switch (event.kind) {
    case 'start':
      return { ...job, status, startedAt: event.at, workerId: event.workerId, attempt: job.attempt + 1 };
    case 'complete':
      return { ...job, status, finishedAt: event.at, ...(event.output !== undefined && { output: event.output }) };
    case 'fail':
    case 'time-out':
      return { ...job, status, finishedAt: event.at, error: event.error };
    case 'cancel':
      return { ...job, status, finishedAt: event.at };
    case 'retry':
      return requeued(job, event.at);
  }
}

/** Back in the queue under the same id with its original input; all that the earlier run left is gone. */
function requeued(job: Job, at: number): Job {
  const {
    startedAt: _started,
    finishedAt: _finished,
    workerId: _worker,
    output: _output,
    error: _error,
    ...kept
  } = job;
  return { ...kept, status: 'IN_QUEUE', queuedAt: at, stream: NO_CHUNKS };
}

/**
 * When a job and its result are deleted: at the end of its time to live, or when retention after completion has passed,
 * whichever comes first (specification 8.2; contract rules, Queue API).
 */
export const expiryOf = (job: Job): number =>
  job.finishedAt === undefined ? job.ttlAt : Math.min(job.ttlAt, job.finishedAt + job.retentionMs);
