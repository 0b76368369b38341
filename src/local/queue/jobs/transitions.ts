import type { Job, JobStatus, StreamPosition } from '../state/records.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** What can happen to a job. */
export type JobEvent =
  | { readonly kind: 'start'; readonly at: EpochMs; readonly workerId: string }
  | { readonly kind: 'complete'; readonly at: EpochMs; readonly output: string | undefined }
  | { readonly kind: 'fail'; readonly at: EpochMs; readonly error: string }
  /** The program of its endpoint can serve no job. */
  | { readonly kind: 'refuse'; readonly at: EpochMs; readonly error: string }
  | { readonly kind: 'time-out'; readonly at: EpochMs; readonly error: string }
  | { readonly kind: 'cancel'; readonly at: EpochMs }
  /** Its worker was lost. */
  | { readonly kind: 'lose'; readonly at: EpochMs }
  | { readonly kind: 'retry'; readonly at: EpochMs };

/**
 * The transitions out of each status. Specification 3.2 shows cancel and retry; the others are made by workers. Events that
 * are not in this table are not possible.
 */
const NEXT: Readonly<Record<JobStatus, Readonly<Partial<Record<JobEvent['kind'], JobStatus>>>>> = {
  IN_QUEUE: { start: 'IN_PROGRESS', cancel: 'CANCELLED', refuse: 'FAILED' },
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

export const NO_CHUNKS: StreamPosition = { made: 0, numbered: 0, pending: [] };

export const isTerminal = (status: JobStatus): boolean => status !== 'IN_QUEUE' && status !== 'IN_PROGRESS';

/** The status after an event; undefined when the event is not possible. */
export const nextStatus = (status: JobStatus, event: JobEvent['kind']): JobStatus | undefined => NEXT[status][event];

/** The new record of a job after an event; undefined when the event is not possible in its status. */
export function transition(job: Job, event: JobEvent): Job | undefined {
  const status = nextStatus(job.status, event.kind);
  if (status === undefined) return undefined;
  switch (event.kind) {
    case 'start':
      return { ...job, status, startedAt: event.at, workerId: event.workerId, attempt: job.attempt + 1 };
    case 'complete':
      return { ...ended(job, status, event.at), ...(event.output !== undefined && { output: event.output }) };
    case 'fail':
    case 'refuse':
    case 'time-out':
      return { ...ended(job, status, event.at), error: event.error };
    case 'cancel':
      return ended(job, status, event.at);
    case 'lose':
    case 'retry':
      return requeued(job, event.at);
  }
}

/** The ended job without the members that only a running one has: its progress and the copies of its chunks. */
function ended(job: Job, status: JobStatus, at: EpochMs): Job {
  if (job.output === undefined && job.streamed === undefined) return { ...job, status, finishedAt: at };
  const { output: _progress, streamed: _streamed, ...kept } = job;
  return { ...kept, status, finishedAt: at };
}

/** The job in the queue again, with its id and input; the results of the earlier attempt are removed. */
function requeued(job: Job, at: EpochMs): Job {
  const {
    startedAt: _started,
    finishedAt: _finished,
    workerId: _worker,
    output: _output,
    error: _error,
    streamed: _streamed,
    ...kept
  } = job;
  return { ...kept, status: 'IN_QUEUE', queuedAt: at, stream: NO_CHUNKS };
}

/**
 * When a job and its result are deleted: at the end of its time to live or of the retention of its result, whichever comes
 * first (specification 8.2; contract rules, Queue API).
 */
export const expiryOf = (job: Job): number =>
  job.finishedAt === undefined ? job.ttlAt : Math.min(job.ttlAt, job.finishedAt + job.retentionMs);
