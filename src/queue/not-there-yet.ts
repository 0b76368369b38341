import type { Clock } from '../core/context.ts';
import { RESULT_RETENTION_MS, SYNC_RESULT_RETENTION_MS } from './limits.ts';
import { type Milliseconds, MINUTE_MS } from '../core/unit-types.ts';

export interface JobLifetime {
  readonly ttlMs?: Milliseconds | undefined;
  /** Results of runsync are kept for a shorter time. */
  readonly sync?: boolean;
}

/** Milliseconds after submission: the shorter of TTL and retention (specification 8.2). */
export const certainMs = ({ ttlMs = Number.POSITIVE_INFINITY, sync = false }: JobLifetime): number =>
  Math.min(ttlMs, sync ? SYNC_RESULT_RETENTION_MS : RESULT_RETENTION_MS);

export interface Absence {
  /** To be called after each 404. True when it means "not there yet" and the next request may find it. */
  isNotThereYet(): boolean;
  /** To be called when it was found: later 404s are given the whole time again. */
  found(): void;
}

/** A replica may lag: a 404 is asked again for a minute while a job submitted `ageMs` ago is certainly kept. */
export function absenceOfJob(clock: Pick<Clock, 'monotonic'>, ageMs: Milliseconds, lifetime: JobLifetime): Absence {
  const until = clock.monotonic() - ageMs + certainMs(lifetime);
  let missingSince: number | undefined;
  return {
    isNotThereYet: () => {
      const now = clock.monotonic();
      missingSince ??= now;
      return now < until && now - missingSince < MINUTE_MS;
    },
    found: () => {
      missingSince = undefined;
    },
  };
}
