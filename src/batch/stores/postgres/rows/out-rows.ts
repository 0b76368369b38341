/** Statements about the folders of results, or prefixes of object storage: one batch of a store owns each. */
import { type Failure, localFile } from '../../../../core/failure.ts';
import type { Database, Queries } from '../database/database.ts';

/** The form of `out` that is the same for the same folder. */
const placeOf = (out: string): string => out.replace(/\/+$/, '') || '/';

/** Stores that a batch owns a folder. Fails with local-file (14) when another batch does. */
export async function insertOut(queries: Queries, batch: number, out: string): Promise<void> {
  const inserted = await queries.query(
    'INSERT INTO berth.outs (place, batch) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1',
    [placeOf(out), batch],
  );
  if (inserted.length === 0) throw outInUse(out, (await otherBatchIn(queries, out, batch)) ?? 'another batch');
}

/**
 * Fails with local-file (14) when a batch of the store has its results in this folder: the input of a new batch need not be
 * read then.
 */
export async function requireFreeOut(queries: Queries, out: string): Promise<void> {
  const found = await otherBatchIn(queries, out);
  if (found !== undefined) throw outInUse(out, found);
}

/** Returns the name of a batch of the store, other than this one, that has its results in a folder. Reads tables of every version. */
export async function otherBatchIn(queries: Queries, out: string, batch = 0): Promise<string | undefined> {
  const [found] = await queries.query<{ name: string }>(
    `SELECT name FROM berth.batches
    WHERE coalesce(nullif(rtrim(manifest ->> 'out', '/'), ''), '/') = $1 AND batch <> $2 ORDER BY batch LIMIT 1`,
    [placeOf(out), batch],
  );
  return found?.name;
}

const outInUse = (out: string, name: string): Failure =>
  localFile(
    `the results of batch ${name} of this store are in ${out}: a folder of results belongs to one batch`,
    'Name another --out.',
  );

/**
 * Whether the marker of a batch was written to its folder; undefined when the batch does not own the folder: it shares it
 * with an earlier batch since before there were owners.
 */
export async function isMarked(queries: Queries, batch: number): Promise<boolean | undefined> {
  const [row] = await queries.query<{ marked: boolean }>('SELECT marked FROM berth.outs WHERE batch = $1', [batch]);
  return row?.marked;
}

export async function setMarked(queries: Queries, batch: number): Promise<void> {
  await queries.query('UPDATE berth.outs SET marked = true WHERE batch = $1', [batch]);
}

/** Removes a batch that no driver has claimed a shard of. Resolves to false when one has: nothing is removed then. */
export const deleteUnclaimed = (database: Database, batch: number): Promise<boolean> =>
  database.transaction(async (queries) => {
    // A claim holds this lock until it can be seen.
    await queries.query('SELECT FROM berth.batches WHERE batch = $1 FOR UPDATE', [batch]);
    const removed = await queries.query(
      `DELETE FROM berth.batches WHERE batch = $1
        AND NOT EXISTS (SELECT FROM berth.shards WHERE batch = $1 AND epoch > 0) RETURNING 1`,
      [batch],
    );
    return removed.length > 0;
  });

/** Removes a batch and all that the store has of it. */
export async function deleteBatch(database: Database, batch: number): Promise<void> {
  await database.query('DELETE FROM berth.batches WHERE batch = $1', [batch]);
}
