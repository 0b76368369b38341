import type { Clock } from '../core/context.ts';
import { createAbsence, type Absence } from '../core/not-there-yet.ts';
import { RESULT_RETENTION_MS, SYNC_RESULT_RETENTION_MS } from './limits.ts';
import type { Milliseconds } from '../core/unit-types.ts';

/** What decides how long the service has a job. */
export interface JobLifetime {
  readonly ttlMs?: Milliseconds | undefined;
  /** Submitted with runsync: its result is kept for a shorter time. */
  readonly sync?: boolean;
}

/**
 * For how long after its submission the service certainly has a job, in milliseconds: until its time to live or the retention
 * of a result is over, whichever is first (specification 8.2; contract rules, Queue API).
 */
export const certainMs = ({ ttlMs = Number.POSITIVE_INFINITY, sync = false }: JobLifetime): number =>
  Math.min(ttlMs, sync ? SYNC_RESULT_RETENTION_MS : RESULT_RETENTION_MS);

/** Decides what the 404s about a job mean that was submitted `ageMs` ago. */
export const absenceOfJob = (clock: Pick<Clock, 'monotonic'>, ageMs: Milliseconds, lifetime: JobLifetime): Absence =>
  createAbsence(clock, clock.monotonic() - ageMs + certainMs(lifetime));
