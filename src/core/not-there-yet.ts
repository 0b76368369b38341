import { MINUTE_MS } from './unit-types.ts';
import type { Clock } from './context.ts';

/** How long to retry a 404 for something just created: a replica may lag. */
const NOT_THERE_YET_MS = MINUTE_MS;

export interface Absence {
  /** To be called after each 404. True when it means "not there yet" and the next request may find it. */
  isNotThereYet(): boolean;
  /** To be called when it was found: later 404s are given the whole time again. */
  found(): void;
}

/** Until `until` (monotonic), a 404 can only come from a replica that lags; retried for a minute. */
export function createAbsence(clock: Pick<Clock, 'monotonic'>, until = Number.POSITIVE_INFINITY): Absence {
  let missingSince: number | undefined;
  return {
    isNotThereYet: () => {
      const now = clock.monotonic();
      missingSince ??= now;
      return now < until && now - missingSince < NOT_THERE_YET_MS;
    },
    found: () => {
      missingSince = undefined;
    },
  };
}
