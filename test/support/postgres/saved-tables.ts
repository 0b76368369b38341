import type { Cluster } from './cluster.mjs';

/** The tables of a store, those first that others refer to. */
const TABLES = ['batches', 'shards', 'records', 'parts', 'unknown_items', 'outs'];

/** Keeps the rows of a store as they are at this moment: what a driver leaves that is killed now. */
export async function saveTables(cluster: Cluster, database: string): Promise<void> {
  const copies = TABLES.map((table) => `CREATE TABLE saved.${table} AS TABLE berth.${table};`);
  await cluster.query(
    `BEGIN ISOLATION LEVEL REPEATABLE READ; DROP SCHEMA IF EXISTS saved CASCADE; CREATE SCHEMA saved; ${copies.join(' ')} COMMIT`,
    database,
  );
}

/** Brings the kept rows back. The leases of the killed drivers have ended since. */
export async function restoreTables(cluster: Cluster, database: string): Promise<void> {
  const copies = TABLES.map(
    (table) => `INSERT INTO berth.${table} OVERRIDING SYSTEM VALUE SELECT * FROM saved.${table};`,
  );
  await cluster.query(
    `BEGIN; DELETE FROM berth.batches; ${copies.join(' ')}
    UPDATE berth.shards SET lease_until = now() - interval '1 second' WHERE NOT done AND lease_until IS NOT NULL; COMMIT`,
    database,
  );
}

/** The rows of each table as JSON. */
export async function rowsOf(
  cluster: Cluster,
  database: string,
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const tables = TABLES.map((table) => `'${table}', (SELECT coalesce(json_agg(t), '[]') FROM berth.${table} t)`);
  const text = await cluster.query(`SELECT json_build_object(${tables.join(', ')})`, database);
  return JSON.parse(text) as Readonly<Record<string, readonly unknown[]>>;
}

/** Inserts what `rowsOf` returned into empty tables, which may have more columns by now. */
export async function insertRows(
  cluster: Cluster,
  database: string,
  rows: Readonly<Record<string, readonly unknown[]>>,
): Promise<void> {
  for (const table of TABLES)
    for (const row of rows[table] ?? []) {
      const names = Object.keys(row as object).join(', ');
      const values = `json_populate_record(NULL::berth.${table}, $row$${JSON.stringify(row)}$row$)`;
      await cluster.query(
        `INSERT INTO berth.${table} (${names}) OVERRIDING SYSTEM VALUE SELECT ${names} FROM ${values}`,
        database,
      );
    }
}

/** All rows of a store as text; none before it has tables. */
export async function tablesIn(cluster: Cluster, database: string): Promise<readonly string[]> {
  if ((await cluster.query(`SELECT to_regclass('berth.outs')`, database)) === '') return [];
  const rows = TABLES.map((table) => `SELECT '${table} ' || row_to_json(t) FROM berth.${table} t`);
  const text = await cluster.query(`${rows.join(' UNION ALL ')} ORDER BY 1`, database);
  return text === '' ? [] : text.split('\n');
}
