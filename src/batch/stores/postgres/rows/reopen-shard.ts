import type { Resubmittable } from '../../items/item-state-machine.ts';
import type { Database } from '../database/database.ts';
import type { ShardResults } from './listing.ts';

/**
 * Sets items of a shard back to waiting. `ended` has the bits of all other items. Resolves to their number; to 0 when a
 * driver has claimed the shard since it was read.
 */
export async function reopenShard(
  database: Database,
  batch: number,
  { shard, epoch }: ShardResults,
  items: readonly (readonly [number, Resubmittable])[],
  ended: Uint8Array,
): Promise<number> {
  const count = (wanted: Resubmittable): number => items.filter(([, state]) => state === wanted).length;
  return await database.transaction(async (queries) => {
    const updated = await queries.query(
      `UPDATE berth.shards SET epoch = epoch + 1, done = false, owner = NULL, lease_until = now() - interval '1 second',
        ended = $4, failed = failed - $5, cancelled = cancelled - $6, timed_out = timed_out - $7, expired = expired - $8,
        unknown = unknown - $9
      WHERE batch = $1 AND shard = $2 AND epoch = $3 RETURNING 1`,
      [
        batch,
        shard,
        epoch,
        Buffer.from(ended),
        count('failed'),
        count('cancelled'),
        count('timedOut'),
        count('expired'),
        count('unknown'),
      ],
    );
    if (updated.length === 0) return 0;
    await queries.query(
      'DELETE FROM berth.unknown_items WHERE batch = $1 AND shard = $2 AND item = ANY ($3::bigint[])',
      [batch, shard, items.map(([item]) => item)],
    );
    await queries.query('UPDATE berth.batches SET resubmitted = resubmitted + $2 WHERE batch = $1', [
      batch,
      items.length,
    ]);
    return items.length;
  });
}
