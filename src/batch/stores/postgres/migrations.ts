import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import type { Database } from './database/database.ts';
import { PACE_TABLE } from './pace/shared-pace.ts';

/**
 * The steps from an empty database to the current tables, in order. A step is never changed once it was released: a
 * change is a new step. The version of a database is the number of its steps.
 *
 * `records` holds the events of items that have no published end yet, a row for each group of events that was written
 * together: `waiting`, `sending`, `submitted` and `unknown` are by how much the group changes these counts. `ended` has
 * a bit for each item of the shard with a published end or an unknown outcome. `ends` has the number of items of a part
 * that ended in each second. `outs` says which batch owns a folder or a prefix, and whether its marker was written there;
 * of two batches that shared one before there were owners, the first owns it.
 */
export const MIGRATION_STEPS: readonly string[] = [
  `
  CREATE TABLE berth.batches (
    batch int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    manifest json NOT NULL,
    planned bigint NOT NULL,
    invalid bigint NOT NULL,
    shards int NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    cancelled boolean NOT NULL DEFAULT false,
    resubmitted bigint NOT NULL DEFAULT 0,
    price_low double precision,
    price_high double precision
  );
  CREATE TABLE berth.shards (
    batch int NOT NULL REFERENCES berth.batches ON DELETE CASCADE,
    shard int NOT NULL,
    source int NOT NULL,
    range json NOT NULL,
    first_item bigint NOT NULL,
    items int NOT NULL,
    invalid int NOT NULL,
    epoch int NOT NULL DEFAULT 0,
    owner text,
    lease_until timestamptz,
    done boolean NOT NULL DEFAULT false,
    ended bytea NOT NULL DEFAULT '',
    completed int NOT NULL DEFAULT 0,
    failed int NOT NULL DEFAULT 0,
    cancelled int NOT NULL DEFAULT 0,
    timed_out int NOT NULL DEFAULT 0,
    expired int NOT NULL DEFAULT 0,
    unknown int NOT NULL DEFAULT 0,
    PRIMARY KEY (batch, shard),
    CHECK (completed + failed + cancelled + timed_out + expired + unknown <= items - invalid),
    CHECK (NOT done OR completed + failed + cancelled + timed_out + expired + unknown = items - invalid)
  ) WITH (fillfactor = 80);
  CREATE INDEX shards_open ON berth.shards (batch, shard) WHERE NOT done AND lease_until IS NULL;
  CREATE INDEX shards_claimed ON berth.shards (batch, lease_until) WHERE NOT done AND lease_until IS NOT NULL;
  CREATE TABLE berth.records (
    batch int NOT NULL,
    shard int NOT NULL,
    epoch int NOT NULL,
    number int NOT NULL,
    waiting int NOT NULL,
    sending int NOT NULL,
    submitted int NOT NULL,
    unknown int NOT NULL,
    events json NOT NULL,
    PRIMARY KEY (batch, shard, epoch, number),
    FOREIGN KEY (batch, shard) REFERENCES berth.shards ON DELETE CASCADE
  );
  CREATE TABLE berth.parts (
    batch int NOT NULL,
    shard int NOT NULL,
    epoch int NOT NULL,
    name text NOT NULL,
    bytes bigint NOT NULL,
    sha256 text NOT NULL,
    items int NOT NULL,
    published_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (batch, shard, epoch),
    FOREIGN KEY (batch, shard) REFERENCES berth.shards ON DELETE CASCADE
  );
  CREATE TABLE berth.unknown_items (
    batch int NOT NULL,
    shard int NOT NULL,
    item bigint NOT NULL,
    PRIMARY KEY (batch, shard, item),
    FOREIGN KEY (batch, shard) REFERENCES berth.shards ON DELETE CASCADE
  );
  CREATE VIEW berth.accounts AS
  SELECT b.batch, b.name, b.planned, s.completed, s.failed, s.cancelled, s.timed_out, s.expired,
    s.unknown + coalesce(r.unknown, 0) AS unknown,
    coalesce(r.submitted, 0) AS submitted,
    coalesce(r.sending, 0) AS sending,
    s.waiting + coalesce(r.waiting, 0) AS waiting,
    b.planned = s.completed + s.failed + s.cancelled + s.timed_out + s.expired + s.unknown + s.waiting
      + coalesce(r.unknown + r.submitted + r.sending + r.waiting, 0)
      AND s.listed = s.unknown AS holds
  FROM berth.batches b
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(completed), 0) AS completed, coalesce(sum(failed), 0) AS failed,
      coalesce(sum(cancelled), 0) AS cancelled, coalesce(sum(timed_out), 0) AS timed_out,
      coalesce(sum(expired), 0) AS expired, coalesce(sum(unknown), 0) AS unknown,
      coalesce(sum(items - invalid - bit_count(ended)), 0) AS waiting,
      (SELECT count(*) FROM berth.unknown_items u WHERE u.batch = b.batch) AS listed
    FROM berth.shards WHERE batch = b.batch
  ) s
  LEFT JOIN LATERAL (
    SELECT sum(waiting) AS waiting, sum(sending) AS sending, sum(submitted) AS submitted, sum(unknown) AS unknown
    FROM berth.records WHERE batch = b.batch
  ) r ON true;
  `,
  PACE_TABLE,
  `ALTER TABLE berth.parts ADD COLUMN ends json NOT NULL DEFAULT '[]';`,
  `
  ALTER TABLE berth.batches ADD COLUMN token text NOT NULL DEFAULT gen_random_uuid()::text UNIQUE;
  CREATE TABLE berth.outs (
    place text PRIMARY KEY,
    batch int NOT NULL REFERENCES berth.batches ON DELETE CASCADE,
    marked boolean NOT NULL DEFAULT false
  );
  INSERT INTO berth.outs (place, batch)
  SELECT coalesce(nullif(rtrim(manifest ->> 'out', '/'), ''), '/'), min(batch) FROM berth.batches
  WHERE manifest ->> 'out' IS NOT NULL GROUP BY 1;
  `,
];

/** Any number, the same in all versions: only one process migrates at a time. */
const MIGRATION_LOCK = 7_262_114;

/** What a command may do to the tables: create and migrate them, migrate those that are there, or only read. */
export type TableAccess = 'create' | 'migrate' | 'read';

/**
 * Makes the tables in the schema `berth` what a command needs. A command that only reads takes earlier versions as they are:
 * its statements may name nothing of a later one. `steps` is a parameter for tests. Fails with local-file (14) when a newer
 * version of berth has migrated them, with not-found (4) when there are none and `access` is not `create`, and as the
 * database does.
 */
export async function prepareTables(
  database: Database,
  access: TableAccess,
  steps: readonly string[] = MIGRATION_STEPS,
): Promise<void> {
  const version = await tablesVersion(database, steps.length);
  if (version === 0 && access !== 'create') throw noTables(database);
  if (version === steps.length || access === 'read') return;
  await database.transaction(async (queries) => {
    await queries.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const found = await queries.query(`SELECT 1 FROM pg_namespace WHERE nspname = 'berth'`);
    if (found.length === 0) await queries.query('CREATE SCHEMA berth');
    await queries.query('CREATE TABLE IF NOT EXISTS berth.schema_version (version int NOT NULL)');
    const [row] = await queries.query<{ version: number }>('SELECT version FROM berth.schema_version');
    const current = row?.version ?? 0;
    if (current > steps.length) throw newer(database, current, steps.length);
    for (const step of steps.slice(current)) await queries.query(step);
    await queries.query('DELETE FROM berth.schema_version');
    await queries.query('INSERT INTO berth.schema_version VALUES ($1)', [steps.length]);
  });
}

/** Returns the version of the tables: 0 without tables. Fails with local-file (14) when it is newer than `known`. */
export async function tablesVersion(database: Database, known: number = MIGRATION_STEPS.length): Promise<number> {
  const [found] = await database.query<{ table: string | null }>(
    `SELECT to_regclass('berth.schema_version')::text AS table`,
  );
  if ((found?.table ?? null) === null) return 0;
  const [row] = await database.query<{ version: number }>('SELECT version FROM berth.schema_version');
  const version = row?.version ?? 0;
  if (version > known) throw newer(database, version, known);
  return version;
}

const noTables = ({ shown }: Database): Failure =>
  new Failure({
    code: 'not-found',
    exit: EXIT.notFound,
    message: `the store ${shown} has no batch: it has no tables of berth`,
    hint: 'Check the address of the store. The first batch that is begun in a store creates its tables.',
  });

const newer = ({ shown }: Database, version: number, known: number): Failure =>
  new Failure({
    code: 'store-newer',
    exit: EXIT.localFile,
    message: `the tables of ${shown} have version ${version}, and this berth knows versions up to ${known}`,
    hint: 'Update berth on this machine. Nothing was changed.',
  });
