import type { ReadPorts, Database } from './database/database.ts';
import { decodeJson, encodeJson, type Json, memberAt, stringAt } from '../../../core/json.ts';
import type { FindJobs, Resubmit, StorePorts } from '../../model/store.ts';
import { expiredSince } from '../../model/expired-since.ts';
import { errorMatcher } from '../../model/error-text.ts';
import type { Resubmittable } from '../../model/item-states.ts';
import { endingOrFailed } from '../../model/result-line.ts';
import { describeResubmitted } from '../../model/sent-again.ts';
import type { KnownJob } from '../../model/run-records.ts';
import { createBitmap } from './shard/bitmap.ts';
import { readShards, type ShardReader } from './results/part-reader.ts';
import { readAccount, type StoredBatch } from './rows/batch-rows.ts';
import { countDrivers, requireNoDriver, unknownOf, type ShardResults } from './rows/listing.ts';
import { eventToArray } from '../../model/event-record.ts';
import { eventsTo, LONG_AGO } from '../../model/open-item.ts';
import { changesOf } from './shard/shard-events.ts';

/**
 * Makes ended items open again: items that the user wants to be sent as new jobs, and expired items whose jobs the service may
 * still have, each of which is polled once more. Expired jobs are first asked for by `findJobs` before they are sent again: those
 * that the service has are not. Returns the number of items to be sent, and one sentence about them. Fails with usage (2) while
 * drivers work on the batch, and as `findJobs` does. When it is interrupted, the shards that it had not reached are unchanged.
 */
export async function reopenItems(
  ports: ReadPorts & Pick<StorePorts, 'clock'>,
  batch: StoredBatch,
  resubmit: Resubmit | undefined,
  findJobs: FindJobs,
): Promise<{ readonly count: number; readonly notes: readonly string[] }> {
  const { database, clock } = ports;
  if (resubmit !== undefined) await requireNoDriver(database, batch, STOP_FIRST);
  else {
    const { expired } = await readAccount(database, batch.batch);
    if (expired === 0 || (await countDrivers(database, batch.batch)).drivers > 0) return { count: 0, notes: [] };
  }
  const since = expiredSince(clock, batch.manifest.extras);
  let [count, found] = [0, 0];
  for await (const shard of readShards(ports, batch)) {
    if (resubmit === undefined && shard.shard.expired === 0) continue;
    const chosen = await chooseItems(ports, batch, shard, resubmit, shard.publishedAt > since, findJobs);
    if (chosen.again.length + chosen.asked.length === 0) continue;
    const { firstItem, items, ended } = shard.shard;
    const left = createBitmap(items, ended);
    for (const [item] of chosen.again) left.remove(item - firstItem);
    for (const { item } of chosen.asked) left.remove(item - firstItem);
    if (await reopenShard(database, batch.batch, shard.shard, chosen, left.bytes())) {
      count += chosen.again.length;
      found += chosen.found;
    }
  }
  return { count, notes: resubmit === undefined ? [] : describeResubmitted(count, found, resubmit.onlyError, true) };
}

async function chooseItems(
  { database }: ReadPorts,
  { batch }: StoredBatch,
  { shard, groups }: ShardReader,
  resubmit: Resubmit | undefined,
  mayBeThere: boolean,
  findJobs: FindJobs,
): Promise<ReopenedItems & { readonly found: number }> {
  const wanted = resubmit?.states ?? [];
  const matches = resubmit?.onlyError === undefined ? () => true : errorMatcher(resubmit.onlyError);
  const again: (readonly [number, Resubmittable])[] = [];
  const asked: KnownJob[] = [];
  /** Expired items to send again whose jobs the service may have. */
  const uncertain: KnownJob[] = [];
  if (wanted.includes('unknown') && resubmit?.onlyError === undefined)
    for (const item of await unknownOf(database, batch, [shard.shard, shard.shard + 1])) again.push([item, 'unknown']);
  const choose = (item: number, result: Json): void => {
    const state = endingOrFailed(result);
    if (state === 'completed') return;
    const job = stringAt(result, 'job');
    const isWanted = wanted.includes(state) && matches(result);
    if (state === 'expired' && mayBeThere && job !== undefined) {
      const label = memberAt(result, 'id');
      const id = label === undefined ? undefined : encodeJson(label);
      (isWanted ? uncertain : asked).push({ item, job, id, submittedAt: LONG_AGO, retries: 0 });
    } else if (isWanted) again.push([item, state]);
  };
  for await (const lines of groups())
    for (const [item, line] of lines) choose(item, decodeJson(Buffer.from(line).toString()));
  const found = await findJobs(uncertain);
  for (const each of uncertain)
    if (found.has(each.item)) asked.push(each);
    else again.push([each.item, 'expired']);
  return { again, asked, found: found.size };
}

const STOP_FIRST = 'Items are set back when no driver works on it: stop them, or wait until their leases have ended.';

/** Items of a shard that are set back. */
interface ReopenedItems {
  readonly again: readonly (readonly [number, Resubmittable])[];
  /** The jobs of expired items that are asked for once more: each as if it had been accepted long ago. */
  readonly asked: readonly KnownJob[];
}

/**
 * Sets items of a shard back. `ended` has the bits of all other items. Resolves to false when a driver has claimed the shard
 * since it was read: nothing is changed then.
 */
async function reopenShard(
  database: Database,
  batch: number,
  { shard, epoch }: ShardResults,
  { again, asked }: ReopenedItems,
  ended: Uint8Array,
): Promise<boolean> {
  const count = (wanted: Resubmittable): number => again.filter(([, state]) => state === wanted).length;
  const ends = {
    ...{ failed: count('failed'), cancelled: count('cancelled'), timed_out: count('timedOut') },
    ...{ expired: count('expired') + asked.length, unknown: count('unknown') },
  };
  return await database.transaction(async (queries) => {
    const updated = await queries.query(
      `UPDATE berth.shards s SET epoch = s.epoch + 1, done = false, owner = NULL, ended = $4,
        lease_until = now() - interval '1 second', failed = s.failed - e.failed, cancelled = s.cancelled - e.cancelled,
        timed_out = s.timed_out - e.timed_out, expired = s.expired - e.expired, unknown = s.unknown - e.unknown
      FROM json_to_record($5) AS e (failed int, cancelled int, timed_out int, expired int, unknown int)
      WHERE batch = $1 AND shard = $2 AND epoch = $3 RETURNING 1`,
      [batch, shard, epoch, Buffer.from(ended), JSON.stringify(ends)],
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
    const resubmitted = 'UPDATE berth.batches SET resubmitted = resubmitted + $2 WHERE batch = $1';
    await queries.query(resubmitted, [batch, again.length]);
    return true;
  });
}
