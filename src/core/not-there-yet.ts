import { MINUTE_MS } from './durations.ts';
import { isNotFound } from './failure.ts';
import type { Clock } from './ports/clock.ts';

/**
 * For how long something that was just created is asked for although the service answers 404: one of its replicas may lag.
 * Milliseconds.
 */
const NOT_THERE_YET_MS = MINUTE_MS;

/** Decides what the 404s about one job or pod mean. */
export interface Absence {
  /** To be called after each 404. True when it means "not there yet" and the next request may find it. */
  isNotThereYet(): boolean;
  /** To be called when it was found: later 404s are given the whole time again. */
  found(): void;
}

/**
 * Follows something that the service certainly has until `until`, a time of the monotonic clock: before that, a 404 can only
 * come from a replica that lags. It is asked for again for a minute from the first 404 on.
 */
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

/**
 * Returns a function that runs requests about one job or pod: it resolves to undefined where the answer is a 404 that means
 * "not there yet". `find` is called at the first 404; it returns undefined for something that may never have been there, whose
 * 404s are final.
 */
export function askUntilThere(
  find: () => Promise<Absence | undefined>,
): <T>(request: () => Promise<T>) => Promise<T | undefined> {
  let absence: Absence | undefined;
  return async (request) => {
    try {
      const answer = await request();
      absence?.found();
      return answer;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      absence ??= await find();
      if (absence?.isNotThereYet() === true) return undefined;
      throw error;
    }
  };
}
