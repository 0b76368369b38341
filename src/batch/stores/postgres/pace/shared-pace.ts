import type { SharedPorts, Queries } from '../database/database.ts';
import {
  isPace,
  NEW_PACE,
  type PaceLimits,
  type PaceRequest,
  type PaceState,
  slowDown,
  withoutLapsed,
  leave,
  takeGrant,
} from './pace-state.ts';
import type { Clock } from '../../../../core/context.ts';
import type { Paces, RequestKind, SharedPace } from '../../../model/run-records.ts';
import { RATE_LIMITS } from '../../../../queue/limits.ts';
import type { StoredBatch } from '../rows/batch-rows.ts';
import type { EpochMs, Milliseconds } from '../../../../core/unit-types.ts';

/** SQL of the table: one row for each endpoint and kind of request. */
export const PACE_TABLE = `CREATE TABLE berth.pace (
  key text PRIMARY KEY,
  version bigint NOT NULL DEFAULT 0,
  state jsonb NOT NULL
) WITH (fillfactor = 50)`;

interface PaceRow {
  readonly version: number;
  readonly state: PaceState;
  /** The time of the database. */
  readonly now: EpochMs;
}

const NOW = 'extract(epoch FROM clock_timestamp())::float8 * 1000 AS now';

/** Reads a row, and creates it when it is missing. Fails as `query` does. */
async function readPace(database: Queries, key: string): Promise<PaceRow> {
  const select = `SELECT version::float8 AS version, state, ${NOW} FROM berth.pace WHERE key = $1`;
  for (;;) {
    const [row] = await database.query<{ version: number; state: unknown; now: EpochMs }>(select, [key]);
    // A rate may be lost: one that nobody can read begins anew.
    if (row !== undefined) return { ...row, state: isPace(row.state) ? row.state : NEW_PACE };
    await database.query('INSERT INTO berth.pace (key, state) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      key,
      JSON.stringify(NEW_PACE),
    ]);
  }
}

/** Writes a row unless another driver has changed it since it was read. Returns whether it was written. Fails as `query` does. */
async function writePace(database: Queries, key: string, version: number, state: PaceState): Promise<boolean> {
  const rows = await database.query(
    'UPDATE berth.pace SET version = version + 1, state = $3 WHERE key = $1 AND version = $2 RETURNING 1',
    [key, version, JSON.stringify(state)],
  );
  return rows.length === 1;
}

export interface SharedPaceOptions extends Omit<PaceRequest, 'wanted'> {
  readonly database: Queries;
  readonly clock: Clock;
  readonly random: () => number;
  /** Names the endpoint, its service and the kind of request. */
  readonly key: string;
  /** Names the driver: unique among all drivers. */
  readonly driver: string;
}

/** Longest wait before a change is tried again that another driver prevented. */
const MAX_RETRY_DELAY_MS: Milliseconds = 20;

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
      const validFrom = databaseClock.notBefore(from);
      const validUntil = requests === 0 ? validFrom : databaseClock.notAfter(until);
      return { requests, concurrency, validFrom, validUntil };
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

/**
 * Opens the rates that all drivers share at the endpoint of a batch: submissions and polls have limits of their own.
 * `rate` is the limit of submissions per second that the user gave: a higher one than the known limit takes its place.
 */
export function openPaces(
  { clock, random, database: { autocommit: database } }: SharedPorts,
  { name, manifest: { service, endpointId } }: StoredBatch,
  driver: string,
  rate: number = RATE_LIMITS.run.rate,
): Paces {
  const open = (kind: RequestKind, known: PaceLimits, batchRate: number) =>
    openSharedPace({
      database,
      clock,
      random,
      key: `${service} ${endpointId} ${kind}`,
      batch: name,
      driver,
      batchRate,
      limits: { rate: Math.max(known.rate, batchRate), concurrency: known.concurrency },
    });
  const { run, status } = RATE_LIMITS;
  return { submit: open('submit', run, rate), poll: open('poll', status, Math.max(status.rate, 2 * rate)) };
}

/** How far two clocks can diverge in a millisecond: both may be corrected slowly by a time service. */
const DRIFT = 0.001;

/**
 * What a driver knows of the database's clock: the bounds of the difference between its own monotonic clock and that
 * clock. Creates a clock without observations. The bounds of several observations are
 * combined, so that a slow answer does not make them wider. An observation that contradicts the earlier ones replaces
 * them: the database's clock was set.
 */
export function createDatabaseClock() {
  let least = Number.NEGATIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;
  let observedAt = 0;
  return {
    /** Adds an observation: the database answered with its time to a request that was sent and answered at these times. */
    observe: (sentAt: Milliseconds, databaseTime: EpochMs, answeredAt: Milliseconds): void => {
      const drift = Math.max(0, answeredAt - observedAt) * DRIFT;
      const [newLeast, newMost] = [sentAt - databaseTime, answeredAt - databaseTime];
      const [combinedLeast, combinedMost] = [Math.max(least - drift, newLeast), Math.min(most + drift, newMost)];
      [least, most] = combinedLeast <= combinedMost ? [combinedLeast, combinedMost] : [newLeast, newMost];
      observedAt = answeredAt;
    },
    /** A time of the monotonic clock at which this time of the database has passed for certain. */
    notBefore: (databaseTime: EpochMs): Milliseconds => databaseTime + most,
    /** A time of the monotonic clock at which this time of the database has not passed yet for certain. */
    notAfter: (databaseTime: EpochMs): Milliseconds => databaseTime + least,
  };
}
