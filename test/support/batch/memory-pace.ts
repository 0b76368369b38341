import type { SharedPace } from '../../../src/batch/model/run-records.ts';
import type { Clock } from '../../../src/core/context.ts';
import {
  NEW_PACE,
  slowDown,
  type PaceRequest,
  leave,
  takeGrant,
} from '../../../src/batch/stores/postgres/pace/pace-state.ts';

/** The shared pace of one endpoint in memory, whose clock is that of the drivers. */
export function createMemoryPace(clock: Clock) {
  let state = NEW_PACE;
  // A time later than zero, which a driver without grants has.
  const START_MS = 1_800_000_000_000;
  const now = (): number => START_MS + clock.monotonic();
  return {
    open: (driver: string, request: Omit<PaceRequest, 'wanted'>): SharedPace => ({
      next: async (wanted) => {
        const taken = takeGrant(state, driver, { ...request, wanted }, now());
        ({ state } = taken);
        const { requests, from, until, concurrency } = taken.grant;
        return { requests, concurrency, validFrom: from - START_MS, validUntil: until - START_MS };
      },
      slowDown: async (retryAfterMs, sentAt) => {
        state = slowDown(state, now(), sentAt + START_MS, retryAfterMs);
      },
      close: async () => {
        state = leave(state, driver, now());
      },
    }),
  };
}
