import type { Clock } from '../core/context.ts';
import { createAbsence, type Absence } from '../core/not-there-yet.ts';
import { RESULT_RETENTION_MS, SYNC_RESULT_RETENTION_MS } from './limits.ts';
import type { Milliseconds } from '../core/unit-types.ts';

export interface JobLifetime {
  readonly ttlMs?: Milliseconds | undefined;
  /** Results of runsync are kept for a shorter time. */
  readonly sync?: boolean;
}

/** Milliseconds after submission: the shorter of TTL and retention (specification 8.2). */
export const certainMs = ({ ttlMs = Number.POSITIVE_INFINITY, sync = false }: JobLifetime): number =>
  Math.min(ttlMs, sync ? SYNC_RESULT_RETENTION_MS : RESULT_RETENTION_MS);

/** Decides what a 404 means for a job submitted `ageMs` ago. */
export const absenceOfJob = (clock: Pick<Clock, 'monotonic'>, ageMs: Milliseconds, lifetime: JobLifetime): Absence =>
  createAbsence(clock, clock.monotonic() - ageMs + certainMs(lifetime));
