import { eventToArray } from '../../../model/item-record.ts';
import type { KnownJob } from '../../../model/run-records.ts';
import type { Resubmittable } from '../../../model/item-states.ts';
import type { Database } from '../database/database.ts';
import { changesOf, eventsTo } from '../shard/shard-events.ts';
import type { ShardResults } from './listing.ts';

/** Items of a shard that are set back. */
export interface ReopenedItems {
  /** Items that wait again, and their states. */
  readonly again: readonly (readonly [number, Resubmittable])[];
  /** The jobs of expired items that are asked for once more: each as if it had been accepted long ago. */
  readonly asked: readonly KnownJob[];
}

/**
 * Sets items of a shard back. `ended` has the bits of all other items. Resolves to false when a driver has claimed the shard
 * since it was read: nothing is changed then.
 */
export async function reopenShard(
  database: Database,
  batch: number,
  { shard, epoch }: ShardResults,
  { again, asked }: ReopenedItems,
  ended: Uint8Array,
): Promise<boolean> {
  const count = (wanted: Resubmittable): number => again.filter(([, state]) => state === wanted).length;
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
        count('expired') + asked.length,
        count('unknown'),
      ],
    );
    if (updated.length === 0) return false;
    await queries.query(
      'DELETE FROM berth.unknown_items WHERE batch = $1 AND shard = $2 AND item = ANY ($3::bigint[])',
      [batch, shard, again.map(([item]) => item)],
    );
    const events = asked.flatMap(({ item, ...job }) => eventsTo(item, { ...job, state: 'submitted' }));
    const { waiting, sending, submitted, unknown } = changesOf(events);
    if (events.length > 0)
      await queries.query('INSERT INTO berth.records VALUES ($1, $2, $3, 0, $4, $5, $6, $7, $8)', [
        ...[batch, shard, epoch + 1, waiting, sending, submitted, unknown],
        JSON.stringify(events.map(eventToArray)),
      ]);
    await queries.query('UPDATE berth.batches SET resubmitted = resubmitted + $2 WHERE batch = $1', [
      batch,
      again.length,
    ]);
    return true;
  });
}
