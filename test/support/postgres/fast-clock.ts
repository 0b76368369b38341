import type { Cluster } from './cluster.mjs';

/** Any moment of the past at which the clocks are the same, in seconds since the epoch. */
const START = 1_700_000_000;

/**
 * Makes `clock_timestamp()` of a database run so many times as fast, for the rates that drivers share: they are granted a
 * second at a time. Leases and other dates (`now()`) are not changed.
 */
export async function speedUpClock(cluster: Cluster, database: string, speed: number): Promise<void> {
  const seconds = `extract(epoch FROM pg_catalog.clock_timestamp()) - ${String(START)}`;
  await cluster.query(
    `CREATE SCHEMA fast;
    CREATE FUNCTION fast.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    'SELECT to_timestamp(${String(START)} + ${String(speed)} * (${seconds}))';
    ALTER DATABASE ${database} SET search_path = fast, pg_catalog, public`,
    database,
  );
}
