/** Statements that list parts and items of a batch. */
import { usage } from '../../../../core/failure.ts';
import type { Message } from '../../../../core/message.ts';
import type { ItemRange } from '../../../read/range.ts';
import type { ClaimedShard, EndsInSecond } from '../shard/held-shard.ts';
import type { Queries } from '../database/database.ts';
import { isItemRange } from '../../../model/checked-inputs.ts';
import { areEnds, checked } from './checked-columns.ts';
import type { Bytes, EpochMs } from '../../../../core/unit-types.ts';

/** Maximum number of unknown items that are listed. */
const MAX_LISTED = 100_000;

/** Returns the unknown items of a batch, in ascending order. */
export async function listUnknown(queries: Queries, batch: number): Promise<readonly number[]> {
  const rows = await queries.query<{ item: number }>(
    'SELECT item FROM berth.unknown_items WHERE batch = $1 ORDER BY item LIMIT $2',
    [batch, MAX_LISTED],
  );
  return rows.map(({ item }) => item);
}

/** Returns how many drivers have a valid lease, and how many shards are done. */
export async function countDrivers(queries: Queries, batch: number) {
  const [row] = await queries.query<{ drivers: number; doneShards: number }>(
    `SELECT count(DISTINCT owner) FILTER (WHERE NOT done AND lease_until > now()) AS drivers,
      count(*) FILTER (WHERE done) AS "doneShards"
    FROM berth.shards WHERE batch = $1`,
    [batch],
  );
  return row ?? { drivers: 0, doneShards: 0 };
}

/** Fails with usage (2) and this hint while drivers work on a batch. */
export async function requireNoDriver(
  queries: Queries,
  { batch, name }: { readonly batch: number; readonly name: string },
  hint: Message,
): Promise<void> {
  const { drivers } = await countDrivers(queries, batch);
  const who = drivers === 1 ? '1 driver works' : `${drivers} drivers work`;
  if (drivers > 0) throw usage(`${who} on the batch ${name}`, hint);
}

/** Shards from one number up to another, which is not among them. */
export type ShardSpan = readonly [from: number, until: number];

/** Rows of so many shards are read at once. */
const SHARDS_AT_ONCE = 500;

export function* spansOf(shards: number): Generator<ShardSpan> {
  for (let from = 0; from < shards; from += SHARDS_AT_ONCE) yield [from, from + SHARDS_AT_ONCE];
}

export interface PublishedPart {
  readonly shard: number;
  readonly name: string;
  readonly bytes: Bytes;
  readonly sha256: string;
  /** When its items ended, by the clock of the driver. Empty for a part of an earlier version of the tables. */
  readonly ends: readonly EndsInSecond[];
  readonly publishedAt: EpochMs;
}

/** Returns the parts of some shards in the order of shards and epochs. Reads tables of every version. */
export async function listParts(
  queries: Queries,
  batch: number,
  [from, until]: ShardSpan,
): Promise<readonly PublishedPart[]> {
  const rows = await queries.query<Omit<PublishedPart, 'ends'> & { ends: unknown }>(
    `SELECT shard, name, bytes, sha256, coalesce(to_jsonb(p) -> 'ends', '[]') AS ends,
      floor(extract(epoch FROM published_at) * 1000) AS "publishedAt"
    FROM berth.parts p WHERE batch = $1 AND shard >= $2 AND shard < $3 AND name <> '' ORDER BY shard, epoch`,
    [batch, from, until],
  );
  return rows.map((row) => ({ ...row, ends: checked(row.ends, areEnds, `the history of part ${row.name}`) }));
}

export interface ShardResults extends Omit<ClaimedShard, 'invalid' | 'records'> {
  /** Number of items whose job the service no longer had. */
  readonly expired: number;
  readonly source: number;
  readonly range: ItemRange;
  readonly isHeld: boolean;
}

/** Returns some shards in ascending order. */
export async function listShards(
  queries: Queries,
  batch: number,
  [from, until]: ShardSpan,
): Promise<readonly ShardResults[]> {
  const rows = await queries.query<Omit<ShardResults, 'range'> & { range: unknown }>(
    `SELECT shard, epoch, first_item AS "firstItem", items, ended, expired, source, range,
      NOT done AND coalesce(lease_until > now(), false) AS "isHeld"
    FROM berth.shards WHERE batch = $1 AND shard >= $2 AND shard < $3 ORDER BY shard`,
    [batch, from, until],
  );
  return rows.map((row) => ({ ...row, range: checked(row.range, isItemRange, `the range of shard ${row.shard}`) }));
}

/** Returns the unknown items of some shards. */
export async function unknownOf(
  queries: Queries,
  batch: number,
  [from, until]: ShardSpan,
): Promise<ReadonlySet<number>> {
  const rows = await queries.query<{ item: number }>(
    'SELECT item FROM berth.unknown_items WHERE batch = $1 AND shard >= $2 AND shard < $3',
    [batch, from, until],
  );
  return new Set(rows.map(({ item }) => item));
}
