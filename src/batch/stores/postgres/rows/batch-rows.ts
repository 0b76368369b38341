import { EXIT } from '../../../../core/exit-codes.ts';
import { Failure } from '../../../../core/failure.ts';
import type { DollarRange } from '../../../../core/units.ts';
import type { PlannedRange } from '../../../read/range.ts';
import type { ItemCounts } from '../../../model/item-states.ts';
import type { Database, Queries } from '../database/database.ts';
import { storeBroken } from '../database/failures.ts';
import { insertOut } from './out-rows.ts';
import { checked, isBatchManifest, type BatchManifest } from './checked-columns.ts';
import type { EpochMs } from '../../../../core/unit-types.ts';

export interface StoredBatch {
  readonly batch: number;
  readonly name: string;
  /** Unique among all batches of all stores; undefined in tables of a version that had none. */
  readonly token: string | undefined;
  readonly manifest: BatchManifest;
  readonly invalid: number;
  readonly shards: number;
  readonly createdAt: EpochMs;
  readonly cancelled: boolean;
  readonly resubmitted: number;
  readonly workerPrice: DollarRange | undefined;
}

const SHARDS_A_STATEMENT = 5000;

/**
 * Stores a new batch, its shards, and that it owns its folder, in one transaction. Resolves to false when there is a batch
 * with this name already: nothing is stored then. Fails with local-file (14) when another batch owns the folder.
 */
export async function createBatchRows(
  database: Database,
  name: string,
  manifest: BatchManifest,
  shards: readonly PlannedRange[],
): Promise<boolean> {
  const invalid = shards.reduce((sum, { range }) => sum + range.invalid, 0);
  const planned = shards.reduce((sum, { range }) => sum + range.items, 0) - invalid;
  return await database.transaction(async (queries) => {
    const [created] = await queries.query<{ batch: number }>(
      `INSERT INTO berth.batches (name, manifest, planned, invalid, shards) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT DO NOTHING RETURNING batch`,
      [name, JSON.stringify(manifest), planned, invalid, shards.length],
    );
    if (created === undefined) return false;
    await insertOut(queries, created.batch, manifest.out);
    for (let from = 0; from < shards.length; from += SHARDS_A_STATEMENT)
      await insertShards(queries, created.batch, from, shards.slice(from, from + SHARDS_A_STATEMENT));
    return true;
  });
}

const insertShards = (
  queries: Queries,
  batch: number,
  first: number,
  shards: readonly PlannedRange[],
): Promise<unknown> =>
  queries.query(
    `INSERT INTO berth.shards (batch, shard, source, first_item, items, invalid, range, done)
    SELECT $1, g.*, g.items = g.invalid
    FROM json_to_recordset($2) AS g
      (shard int, source int, "firstItem" bigint, items int, invalid int, range json)`,
    [batch, JSON.stringify(shards.map(({ source, range }, at) => ({ ...range, shard: first + at, source, range })))],
  );

/** Whether the store has a batch with this name. */
export async function hasBatch(queries: Queries, name: string): Promise<boolean> {
  const found = await queries.query('SELECT 1 FROM berth.batches WHERE name = $1', [name]);
  return found.length > 0;
}

/** Finds a batch by its name, in tables of every version. Fails with not-found (4). */
export async function findBatch(database: Database, name: string): Promise<StoredBatch> {
  const [row] = await database.query<BatchRow>(
    `SELECT batch, name, to_jsonb(b) ->> 'token' AS token, manifest, invalid, shards, cancelled, resubmitted,
      floor(extract(epoch FROM created_at) * 1000) AS "createdAt", price_low AS low, price_high AS high
    FROM berth.batches b WHERE name = $1`,
    [name],
  );
  if (row === undefined)
    throw new Failure({
      code: 'not-found',
      exit: EXIT.notFound,
      message: `the store ${database.shown} has no batch ${name}`,
      hint: 'For a batch with a journal beside its results, name the results file and give --store file.',
    });
  const manifest = checked(row.manifest, isBatchManifest, `the manifest of batch ${name}`);
  const { token, low, high, ...members } = row;
  const workerPrice = low === null || high === null ? undefined : { low, high };
  return { ...members, manifest, token: token ?? undefined, workerPrice };
}

interface BatchRow extends Omit<StoredBatch, 'token' | 'manifest' | 'workerPrice'> {
  readonly token: string | null;
  readonly manifest: unknown;
  readonly low: number | null;
  readonly high: number | null;
}

/** The names of all batches, in the order in which they were begun. */
export async function listBatches(queries: Queries): Promise<readonly string[]> {
  const rows = await queries.query<{ name: string }>('SELECT name FROM berth.batches ORDER BY batch');
  return rows.map(({ name }) => name);
}

/** Sets or removes the mark that nothing more is sent. */
export async function setCancelled(queries: Queries, batch: number, cancelled: boolean): Promise<void> {
  await queries.query('UPDATE berth.batches SET cancelled = $2 WHERE batch = $1', [batch, cancelled]);
}

/** Extends the range of the known prices of a worker. */
export async function addPrice(queries: Queries, batch: number, { low, high }: DollarRange): Promise<void> {
  await queries.query(
    `UPDATE berth.batches SET price_low = least(coalesce(price_low, $2), $2), price_high = greatest(coalesce(price_high, $3), $3)
    WHERE batch = $1`,
    [batch, low, high],
  );
}

/** The counts of a batch, as one statement of SQL adds them up. */
interface Account extends ItemCounts {
  /** True when `planned` is the sum of all counts and every unknown item is listed. */
  readonly holds: boolean;
}

/** Reads the counts of a batch. What was about to be sent by a driver whose lease has ended is unknown. */
export async function readAccount(queries: Queries, batch: number): Promise<Account> {
  const [row] = await queries.query<Account>(
    `SELECT planned, completed, failed, cancelled, timed_out AS "timedOut", expired, unknown + lost AS unknown,
      submitted + sending - lost AS "inFlight", waiting, holds
    FROM berth.accounts CROSS JOIN (
      SELECT coalesce(sum(r.sending), 0) AS lost FROM berth.records r JOIN berth.shards s USING (batch, shard)
      WHERE r.batch = $1 AND (s.lease_until IS NULL OR s.lease_until < now())
    ) l
    WHERE batch = $1`,
    [batch],
  );
  if (row === undefined)
    throw storeBroken(
      'the store has lost this batch: it was removed, or the database was restored to an earlier state',
      'Nothing more was sent.',
    );
  return row;
}
