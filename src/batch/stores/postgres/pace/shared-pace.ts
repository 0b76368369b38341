import type { Clock } from '../../../../core/context.ts';
import type { Queries } from '../database/database.ts';
import { createDatabaseClock } from './database-clock.ts';
import { slowDown, withoutLapsed, type PaceLimits, type PaceState } from './pace-state.ts';
import { readPace, writePace, type PaceRow } from './pace-table.ts';
import { leave, takeGrant } from './take-grant.ts';
import type { SharedPace } from '../../../model/run-records.ts';

export interface SharedPaceOptions {
  readonly database: Queries;
  readonly clock: Clock;
  readonly random: () => number;
  /** Names the endpoint, its service and the kind of request. */
  readonly key: string;
  /** Names the batch: batches have equal shares. */
  readonly batch: string;
  /** Names the driver: unique among all drivers. */
  readonly driver: string;
  /** Maximum number of requests per second of all drivers of the batch. */
  readonly batchRate: number;
  /** The limits of the endpoint as this driver knows them. */
  readonly limits: PaceLimits;
}

/** Longest wait before a change is tried again that another driver prevented. Milliseconds. */
const MAX_RETRY_DELAY_MS = 20;

/**
 * Opens the shared pace of one endpoint. The row is changed only if nobody has changed it since it was read: a driver that is
 * stopped at any moment holds no lock.
 */
export function openSharedPace(options: SharedPaceOptions): SharedPace {
  const { database, clock, random, key, batch, driver, batchRate, limits } = options;
  const databaseClock = createDatabaseClock();

  const read = async (): Promise<PaceRow> => {
    const sentAt = clock.monotonic();
    const row = await readPace(database, key);
    databaseClock.observe(sentAt, row.now, clock.monotonic());
    return row;
  };
  const change = async <T>(work: (row: PaceRow) => { readonly state: PaceState; readonly result: T }): Promise<T> => {
    for (;;) {
      const row = await read();
      const { state, result } = work(row);
      if (await writePace(database, key, row.version, state)) return result;
      await clock.sleep(random() * MAX_RETRY_DELAY_MS);
    }
  };

  return {
    next: async (wanted) => {
      const { requests, from, until, concurrency } = await change(({ state, now }) => {
        const taken = takeGrant(state, driver, { batch, batchRate, limits, wanted }, now);
        return { state: taken.state, result: taken.grant };
      });
      const [validFrom, validUntil] = [databaseClock.notBefore(from), databaseClock.notAfter(until)];
      return requests === 0
        ? { requests, concurrency, validFrom, validUntil: validFrom }
        : { requests, concurrency, validFrom, validUntil };
    },
    slowDown: async (retryAfterMs, sentAt) => {
      await change(({ state, now }) => {
        // The database's time when the request was sent, at the latest.
        const agoMs = clock.monotonic() - sentAt;
        return { state: slowDown(withoutLapsed(state, now), now, now - agoMs, retryAfterMs), result: undefined };
      });
    },
    close: async () => {
      await change(({ state, now }) => ({ state: leave(state, driver, now), result: undefined }));
    },
  };
}
