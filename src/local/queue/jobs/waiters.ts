import { DAY_MS } from '../../../core/durations.ts';
import { recordsFrom } from '../../state/records.ts';
import type { State } from '../../state/state.ts';
import { queuesOf, type Job } from '../state/records.ts';
import type { EpochMs, Milliseconds } from '../../../core/unit-types.ts';

/** A wait that is older than this was left behind by a killed process. */
const STALE_WAIT_MS: Milliseconds = DAY_MS;

/** Records that a request waits for a job to end. */
export function beginWaiting(state: State, job: Job, now: EpochMs): void {
  const queues = queuesOf(state);
  queues.awaited = recordsFrom(Object.entries(queues.awaited).filter(([, { since }]) => since > now - STALE_WAIT_MS));
  queues.awaited[job.id] = { since: now, waiters: (queues.awaited[job.id]?.waiters ?? 0) + 1 };
}

/** Records that a request waits no longer. */
export function endWaiting(state: State, jobId: string): void {
  const { awaited } = queuesOf(state);
  const known = awaited[jobId];
  if (known === undefined) return;
  if (known.waiters > 1) awaited[jobId] = { ...known, waiters: known.waiters - 1 };
  else Reflect.deleteProperty(awaited, jobId);
}

/** A job that a request waits for, or its last record when it has expired; undefined when there is neither. */
export const awaitedJob = (state: State, jobId: string): Job | undefined =>
  queuesOf(state).jobs[jobId] ?? queuesOf(state).awaited[jobId]?.last;

/** Keeps the record of an expiring job for the requests that wait for it. */
export function keepForWaiters(state: State, job: Job): void {
  const known = queuesOf(state).awaited[job.id];
  if (known !== undefined) queuesOf(state).awaited[job.id] = { ...known, last: job };
}
