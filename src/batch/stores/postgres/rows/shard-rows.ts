import { eventToArray } from '../../../model/event-record.ts';
import type { WrittenPart } from '../shard/part-files.ts';
import type { PlannedRange } from '../../../read/range.ts';
import type { ClaimedShard, Publication, RecordGroup } from '../shard/held-shard.ts';
import type { Database, Queries } from '../database/database.ts';
import { isItemRange } from '../../../model/checked-inputs.ts';
import { checked, recordsOf } from './checked-columns.ts';

/**
 * Statements about shards. Each checks the epoch and the owner: what another driver has taken over is not written. The
 * epoch alone is not enough, because a driver counts it on before its publication is certain.
 */

/** Identifies a batch and the driver that works on it. */
export interface Driver {
  readonly batch: number;
  /** Different for each process: see `ownerText`. */
  readonly owner: string;
  readonly leaseMs: number;
}

/** A shard and the epoch under which a driver holds it. */
export interface Held {
  readonly shard: number;
  readonly epoch: number;
}

/** A claimed shard, and where its items are in the input. */
interface ClaimedRange extends ClaimedShard, PlannedRange {}

type ShardRow = Omit<ClaimedRange, 'records' | 'range'> & { readonly range: unknown };

const claimOf = (condition: string, order: string): string => `
  UPDATE berth.shards s SET epoch = s.epoch + 1, owner = $2, lease_until = now() + $3 * interval '1 millisecond'
  FROM (
    SELECT batch, shard FROM berth.shards WHERE batch = $1 AND NOT done AND ${condition}
    ORDER BY ${order} FOR UPDATE SKIP LOCKED LIMIT 1
  ) free
  WHERE s.batch = free.batch AND s.shard = free.shard
  RETURNING s.shard, s.epoch, s.source, s.range, s.first_item AS "firstItem", s.items, s.invalid, s.ended`;

/**
 * Shards that a driver left come first, because the service removes results after a time. A shard of the same owner that
 * it does not hold was claimed by a statement whose answer was lost. A shard that the driver holds is never claimed again,
 * also when its lease has ended: the next renewal renews it, and its items keep their states.
 */
const CLAIM_LEFT = claimOf(
  'lease_until IS NOT NULL AND (lease_until < now() OR owner = $2) AND shard <> ALL ($4::int[])',
  'lease_until',
);
const CLAIM_NEW = claimOf('lease_until IS NULL AND shard <> ALL ($4::int[])', 'shard');

/**
 * Claims a shard that nobody holds and that is not done, with all its records. Resolves to undefined when there is none, and
 * when the batch is cancelled or removed. `held` are the shards that this driver holds already.
 */
export async function claimShard(
  database: Database,
  { batch, owner, leaseMs }: Driver,
  held: readonly number[],
): Promise<ClaimedRange | undefined> {
  return await database.transaction(async (queries) => {
    // The lock orders claims and the statement that cancels: after that, all claims are there to be seen.
    const isOpen = await queries.query('SELECT 1 FROM berth.batches WHERE batch = $1 AND NOT cancelled FOR SHARE', [
      batch,
    ]);
    if (isOpen.length === 0) return undefined;
    const values = [batch, owner, leaseMs, held];
    const [left] = await queries.query<ShardRow>(CLAIM_LEFT, values);
    const row = left ?? (await queries.query<ShardRow>(CLAIM_NEW, values))[0];
    if (row === undefined) return undefined;
    const records = await queries.query<{ events: unknown }>(
      'SELECT events FROM berth.records WHERE batch = $1 AND shard = $2 ORDER BY epoch, number',
      [batch, row.shard],
    );
    const shard = `shard ${row.shard}`;
    return {
      ...row,
      range: checked(row.range, isItemRange, `the range of ${shard}`),
      records: records.flatMap(({ events }) => recordsOf(events, `a record of ${shard}`)),
    };
  });
}

/** Renews the leases of shards. Resolves to those that this driver still holds. */
export async function renewLeases(
  queries: Queries,
  { batch, owner, leaseMs }: Driver,
  held: readonly Held[],
): Promise<readonly number[]> {
  const rows = await queries.query<{ shard: number }>(
    `UPDATE berth.shards s SET lease_until = now() + $3 * interval '1 millisecond'
    FROM json_to_recordset($4) AS h (shard int, epoch int)
    WHERE s.batch = $1 AND s.shard = h.shard AND s.epoch = h.epoch AND s.owner = $2
    RETURNING s.shard`,
    [batch, owner, leaseMs, JSON.stringify(held)],
  );
  return rows.map(({ shard }) => shard);
}

/** A shard that a driver holds, and its latest group of records that the database has confirmed, if it is of this epoch. */
interface ConfirmedShard extends Held {
  readonly number: number | undefined;
}

/**
 * Returns the shards of which the database has lost something that it had confirmed: the shard itself, the claim of this
 * driver, or its latest group of records. A shard that another driver has taken over has a greater epoch and is not among
 * them.
 */
export async function findLostWrites(
  queries: Queries,
  { batch, owner }: Driver,
  confirmed: readonly ConfirmedShard[],
): Promise<readonly number[]> {
  const rows = await queries.query<{ shard: number }>(
    `SELECT g.shard FROM json_to_recordset($2) AS g (shard int, epoch int, number int)
    LEFT JOIN berth.shards s ON s.batch = $1 AND s.shard = g.shard
    WHERE s.epoch IS NULL OR s.epoch < g.epoch OR (s.epoch = g.epoch AND (
      s.owner IS DISTINCT FROM $3 OR (g.number IS NOT NULL AND NOT EXISTS (
        SELECT FROM berth.records r
        WHERE r.batch = $1 AND r.shard = g.shard AND r.epoch = g.epoch AND r.number = g.number))))`,
    [batch, JSON.stringify(confirmed), owner],
  );
  return rows.map(({ shard }) => shard);
}

/** Whether a batch is done, and whether nothing more is to be sent. */
export async function readBatchState(queries: Queries, batch: number) {
  const [row] = await queries.query<{ isDone: boolean; isCancelled: boolean }>(
    `SELECT NOT EXISTS (SELECT FROM berth.shards WHERE batch = $1 AND NOT done) AS "isDone",
      coalesce((SELECT cancelled FROM berth.batches WHERE batch = $1), true) AS "isCancelled"`,
    [batch],
  );
  return row ?? { isDone: true, isCancelled: true };
}

/** Gives shards up, so that any driver may claim them at once. */
export async function releaseShards(queries: Queries, { batch, owner }: Driver, held: readonly Held[]): Promise<void> {
  await queries.query(
    `UPDATE berth.shards s SET owner = NULL, lease_until = now() - interval '1 second'
    FROM json_to_recordset($2) AS h (shard int, epoch int)
    WHERE s.batch = $1 AND s.shard = h.shard AND s.epoch = h.epoch AND s.owner = $3`,
    [batch, JSON.stringify(held), owner],
  );
}

/**
 * Ends the epoch of a shard that no driver holds: a driver whose lease has ended can publish nothing under it any more.
 * Resolves to false when a driver has renewed its lease or claimed the shard.
 */
export async function endEpoch(queries: Queries, batch: number, { shard, epoch }: Held): Promise<boolean> {
  const ended = await queries.query(
    `UPDATE berth.shards SET epoch = epoch + 1, owner = NULL
    WHERE batch = $1 AND shard = $2 AND epoch = $3 AND (done OR lease_until IS NULL OR lease_until < now()) RETURNING 1`,
    [batch, shard, epoch],
  );
  return ended.length > 0;
}

export interface ShardGroup extends RecordGroup {
  readonly shard: number;
}

/**
 * Writes groups of records in one statement, also when they were written before and only the answer was lost. Resolves to
 * the shards that this driver still holds; the groups of the others are not written.
 */
export async function appendRecords(
  queries: Queries,
  { batch, owner }: Driver,
  groups: readonly ShardGroup[],
): Promise<readonly number[]> {
  const rows = await queries.query<{ shard: number }>(
    `WITH given AS (
      SELECT * FROM json_to_recordset($2) AS g
        (shard int, epoch int, number int, waiting int, sending int, submitted int, unknown int, events json)
    ), held AS (
      SELECT s.shard FROM berth.shards s JOIN given g ON g.shard = s.shard AND g.epoch = s.epoch
      WHERE s.batch = $1 AND s.owner = $3 FOR SHARE OF s
    ), added AS (
      INSERT INTO berth.records
      SELECT $1, shard, epoch, number, waiting, sending, submitted, unknown, events FROM given JOIN held USING (shard)
      ON CONFLICT DO NOTHING
    )
    SELECT shard FROM held`,
    [batch, JSON.stringify(rowsOf(groups)), owner],
  );
  return rows.map(({ shard }) => shard);
}

const rowsOf = (groups: readonly ShardGroup[]) =>
  groups.map(({ changes, events, ...group }) => ({ ...group, ...changes, events: events.map(eventToArray) }));

/**
 * Publishes a part, its counts and the records of the next epoch in one transaction. Resolves to false when another
 * driver has taken the shard over: nothing is written then. Publishing again after a lost answer changes nothing.
 */
export async function publishPart(
  database: Database,
  driver: Driver,
  shard: number,
  { draft, nextEpoch, snapshot, ended, done }: Publication,
  part: WrittenPart | undefined,
): Promise<boolean> {
  const { batch, owner } = driver;
  const { counts, unknown } = draft;
  return await database.transaction(async (queries) => {
    const row = { shard, epoch: draft.epoch };
    const ends = { ...counts, timed_out: counts.timedOut, unknown: unknown.length };
    const updated = await queries.query(
      `UPDATE berth.shards s SET epoch = $3, ended = $4, done = $5, owner = CASE WHEN $5 THEN NULL ELSE owner END,
        completed = s.completed + e.completed, failed = s.failed + e.failed, cancelled = s.cancelled + e.cancelled,
        timed_out = s.timed_out + e.timed_out, expired = s.expired + e.expired, unknown = s.unknown + e.unknown
      FROM json_to_record($2) AS e (shard int, epoch int, completed int, failed int, cancelled int, timed_out int,
        expired int, unknown int)
      WHERE s.batch = $1 AND s.shard = e.shard AND s.epoch = e.epoch AND s.owner = $6 RETURNING 1`,
      [batch, JSON.stringify({ ...row, ...ends }), nextEpoch, Buffer.from(ended), done, owner],
    );
    if (updated.length === 0) {
      // Only this driver publishes under this epoch: the answer to an earlier attempt was lost.
      const found = await queries.query('SELECT 1 FROM berth.parts WHERE batch = $1 AND shard = $2 AND epoch = $3', [
        batch,
        shard,
        draft.epoch,
      ]);
      return found.length > 0;
    }
    const { name, bytes, sha256 } = part ?? { name: '', bytes: 0, sha256: '' };
    await queries.query(
      `INSERT INTO berth.parts (batch, shard, epoch, name, bytes, sha256, items, ends)
      SELECT $1, p.* FROM json_to_record($2)
        AS p (shard int, epoch int, name text, bytes bigint, sha256 text, items int, ends json)`,
      [batch, JSON.stringify({ ...row, name, bytes, sha256, items: draft.items.length, ends: draft.ends })],
    );
    if (unknown.length > 0)
      await queries.query(
        'INSERT INTO berth.unknown_items SELECT $1, $2, unnest($3::bigint[]) ON CONFLICT DO NOTHING',
        [batch, shard, unknown],
      );
    await queries.query('DELETE FROM berth.records WHERE batch = $1 AND shard = $2', [batch, shard]);
    if (snapshot.events.length > 0) await appendRecords(queries, driver, [{ shard, ...snapshot }]);
    return true;
  });
}
