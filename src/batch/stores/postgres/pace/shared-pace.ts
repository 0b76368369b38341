import type { Clock } from '../../../../core/context.ts';
import type { Queries } from '../database/database.ts';
import { createDatabaseClock } from './database-clock.ts';
import { slowDown, withoutLapsed, type PaceLimits, type PaceState } from './pace-state.ts';
import { readPace, writePace, type PaceRow } from './pace-table.ts';
import { leave, takeGrant } from './take-grant.ts';

/** Requests that a driver may start. Times are milliseconds of its monotonic clock. */
export interface PaceGrant {
  /** To be spread evenly from `validFrom` to `validUntil`. With 0, the driver asks again at `validFrom`. */
  readonly requests: number;
  readonly validFrom: number;
  readonly validUntil: number;
  /** How many of its requests may be in progress at the same time. */
  readonly concurrency: number;
}

/** The rate of requests of one kind at one endpoint, which all drivers share. */
export interface SharedPace {
  /** Asks for a grant for this second, or for the next one when it was called in this second already. Fails as `query` does. */
  next(wanted: number): Promise<PaceGrant>;
  /**
   * After a 429, or when the service was not reached, for a request that was sent at `sentAt` (monotonic clock): all drivers
   * wait and slow down. Fails as `query` does.
   */
  slowDown(retryAfterMs: number | undefined, sentAt: number): Promise<void>;
  /** Gives the driver's share to the others. Fails as `query` does. */
  close(): Promise<void>;
}

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
