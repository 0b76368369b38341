import { recordsFrom } from '../../state/records.ts';
import type { State } from '../../state/state.ts';
import type { Job } from '../state/records.ts';

/** A wait that is older was left behind by a process that was killed: milliseconds. */
const FORGOTTEN_MS = 86_400_000;

/** Somebody waits for a job's end from now on. */
export function beginWaiting(state: State, job: Job, now: number): void {
  const { queue } = state;
  queue.awaited = recordsFrom(Object.entries(queue.awaited).filter(([, { since }]) => since > now - FORGOTTEN_MS));
  queue.awaited[job.id] = { since: now, waiters: (queue.awaited[job.id]?.waiters ?? 0) + 1 };
}

/** Somebody waits no longer. */
export function endWaiting(state: State, jobId: string): void {
  const { awaited } = state.queue;
  const known = awaited[jobId];
  if (known === undefined) return;
  if (known.waiters > 1) awaited[jobId] = { ...known, waiters: known.waiters - 1 };
  else Reflect.deleteProperty(awaited, jobId);
}

/** A job that somebody waits for: as it is, or as it was when it expired; undefined where it never ended. */
export const awaitedJob = (state: State, jobId: string): Job | undefined =>
  state.queue.jobs[jobId] ?? state.queue.awaited[jobId]?.last;

/** Keeps an expiring job's record for those who wait for it. */
export function keepForWaiters(state: State, job: Job): void {
  const known = state.queue.awaited[job.id];
  if (known !== undefined) state.queue.awaited[job.id] = { ...known, last: job };
}
