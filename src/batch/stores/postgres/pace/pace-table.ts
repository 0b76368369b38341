import type { Queries } from '../database/database.ts';
import { NEW_PACE, type PaceState } from './pace-state.ts';

/** SQL of the table: one row for each endpoint and kind of request. */
export const PACE_TABLE = `CREATE TABLE berth.pace (
  key text PRIMARY KEY,
  version bigint NOT NULL DEFAULT 0,
  state jsonb NOT NULL
) WITH (fillfactor = 50)`;

/** A row as it was read. */
export interface PaceRow {
  readonly version: number;
  readonly state: PaceState;
  /** The time of the database, in milliseconds since the epoch. */
  readonly now: number;
}

const NOW = 'extract(epoch FROM clock_timestamp())::float8 * 1000 AS now';

/** Reads a row, and creates it when it is missing. Fails as `query` does. */
export async function readPace(database: Queries, key: string): Promise<PaceRow> {
  const select = `SELECT version::float8 AS version, state, ${NOW} FROM berth.pace WHERE key = $1`;
  for (;;) {
    const [row] = await database.query<{ version: number; state: PaceState; now: number }>(select, [key]);
    if (row !== undefined) return row;
    await database.query('INSERT INTO berth.pace (key, state) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      key,
      JSON.stringify(NEW_PACE),
    ]);
  }
}

/** Writes a row unless another driver has changed it since it was read. Returns whether it was written. Fails as `query` does. */
export async function writePace(database: Queries, key: string, version: number, state: PaceState): Promise<boolean> {
  const rows = await database.query(
    'UPDATE berth.pace SET version = version + 1, state = $3 WHERE key = $1 AND version = $2 RETURNING 1',
    [key, version, JSON.stringify(state)],
  );
  return rows.length === 1;
}
