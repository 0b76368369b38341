import { Exact, type Json } from '../../../core/json.ts';
import { isThrottled } from '../../model/endpoints/placement.ts';
import { queueOf, waitingCount, workersIn } from '../state/endpoint-queue.ts';
import type { State } from '../../state/state.ts';
import type { Job, WorkerStatus } from '../state/records.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/**
 * A job in the answers of `runsync` and `status` (specification 2.5, 4.5). `delayTime` is the time in the queue and
 * `executionTime` the time on a worker until now, in milliseconds. Output is the handler's text, so its numbers stay exact.
 */
export function jobDocument(job: Job, now: EpochMs): Json {
  // Accessed once: a long text is read from its file at every access.
  const { error, output } = job;
  const started = job.startedAt ?? job.finishedAt ?? now;
  const ended = job.finishedAt ?? now;
  return {
    delayTime: Math.max(0, started - job.queuedAt),
    error,
    executionTime: job.startedAt === undefined ? 0 : Math.max(0, ended - job.startedAt),
    id: job.id,
    output: output === undefined ? undefined : new Exact(output),
    status: job.status,
  };
}

/** A job in the answers of `run`, `cancel` and `retry`. */
export const jobBrief = (job: Job): Json => ({ id: job.id, status: job.status });

/**
 * An endpoint's health (specification 4.5, 8). `failed` counts FAILED and TIMED_OUT jobs. The counters include deleted jobs.
 * Members that the specification does not name come last.
 */
export function healthDocument(state: State, endpointId: string): Json {
  const queue = queueOf(state, endpointId);
  const { completed, failed, timedOut, retried, cancelled, expired } = queue.counts;
  const workers = (status: WorkerStatus): number =>
    // A worker whose hardware is taken by others takes no job: it is neither idle nor initializing.
    workersIn(queue).filter(
      (worker) => worker.status === status && (status === 'RUNNING' || !isThrottled(state, worker.hardware)),
    ).length;
  return {
    jobs: {
      completed,
      failed: failed + timedOut,
      inProgress: queue.inProgress,
      inQueue: waitingCount(queue),
      retried,
      cancelled,
      expired,
    },
    workers: { idle: workers('IDLE'), running: workers('RUNNING'), initializing: workers('INITIALIZING') },
  };
}
