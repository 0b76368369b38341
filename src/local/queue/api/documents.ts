import { Exact, type Json } from '../../../core/json.ts';
import { laneOf, waitingIn, workersIn } from '../state/endpoint-queue.ts';
import type { State } from '../../state/state.ts';
import type { Job, WorkerStatus } from '../state/records.ts';

/**
 * A job as `runsync` and `status` show it (specification 2.5, 4.5). Times are milliseconds, as far as they have come:
 * `delayTime` in the queue, `executionTime` on a worker. Output is the handler's own text, so its numbers stay exact.
 */
export function jobDocument(job: Job, now: number): Json {
  // Looked at once: a long one is read from a file each time.
  const { error, output } = job;
  const started = job.startedAt ?? job.finishedAt ?? now;
  const ended = job.finishedAt ?? now;
  return {
    delayTime: Math.max(0, started - job.queuedAt),
    ...(error !== undefined && { error }),
    executionTime: job.startedAt === undefined ? 0 : Math.max(0, ended - job.startedAt),
    id: job.id,
    ...(output !== undefined && { output: new Exact(output) }),
    status: job.status,
  };
}

/** A job as `run`, `cancel` and `retry` show it. */
export const jobBrief = (job: Job): Json => ({ id: job.id, status: job.status });

/**
 * An endpoint's health (specification 4.5, 8). `failed` counts the jobs that ended without a result, FAILED and
 * TIMED_OUT; counts outlive the jobs they count. The members the specification does not name come after its own.
 */
export function healthDocument(state: State, endpointId: string): Json {
  const lane = laneOf(state, endpointId);
  const { completed, failed, timedOut, retried, cancelled, expired } = lane.counts;
  const workers = (status: WorkerStatus): number => workersIn(lane).filter((worker) => worker.status === status).length;
  return {
    jobs: {
      completed,
      failed: failed + timedOut,
      inProgress: lane.inProgress,
      inQueue: waitingIn(lane),
      retried,
      cancelled,
      expired,
    },
    workers: { idle: workers('IDLE'), running: workers('RUNNING'), initializing: workers('INITIALIZING') },
  };
}
