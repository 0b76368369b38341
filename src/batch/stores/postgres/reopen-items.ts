import type { ReadPorts } from './database/database.ts';
import { usage } from '../../../core/failure.ts';
import { decodeJson, encodeJson, memberAt, stringOf, type Json } from '../../../core/json.ts';
import { certainMs } from '../../../queue/not-there-yet.ts';
import { timeToLive } from '../../../queue/submission.ts';
import type { Resubmit, StorePorts } from '../../model/store.ts';
import { errorMatcher } from '../../model/error-text.ts';
import type { Resubmittable } from '../../model/item-states.ts';
import { stateOf } from '../../model/result-line.ts';
import { describeResubmitted } from '../../model/resubmit.ts';
import type { KnownJob } from '../../model/run-records.ts';
import { createBitmap } from './shard/bitmap.ts';
import { readShards, type ShardReader } from './results/part-reader.ts';
import { readAccount, type StoredBatch } from './rows/batch-rows.ts';
import { countDrivers, unknownOf } from './rows/listing.ts';
import { reopenShard, type ReopenedItems } from './rows/reopen-shard.ts';

/**
 * Sets items of a batch back: those that are to be sent as new jobs, and those whose jobs the service did not have and may
 * have all the same, so that they are asked for once more. Returns what was done about the first: their number, and one sentence. Fails with
 * usage (2) while drivers work on the batch. When it is interrupted, the shards that it had not reached are unchanged.
 */
export async function reopenItems(
  ports: ReadPorts & Pick<StorePorts, 'clock'>,
  batch: StoredBatch,
  resubmit: Resubmit | undefined,
): Promise<{ readonly count: number; readonly notes: readonly string[] }> {
  const { database, clock } = ports;
  const { drivers } = await countDrivers(database, batch.batch);
  if (drivers > 0 && resubmit !== undefined)
    throw usage(
      `${String(drivers)} drivers work on the batch ${batch.name}`,
      'Items are set back when no driver works on it: stop them, or wait until their leases have ended.',
    );
  const { expired } = await readAccount(database, batch.batch);
  if (resubmit === undefined && (expired === 0 || drivers > 0)) return { count: 0, notes: [] };
  // eslint-disable-next-line no-restricted-syntax -- a date: parts have that of their publication
  const since = clock.now() - certainMs({ ttlMs: timeToLive(batch.manifest.extras) });
  let count = 0;
  for await (const shard of readShards(ports, batch)) {
    if (resubmit === undefined && shard.shard.expired === 0) continue;
    const chosen = await chooseItems(ports, batch, shard, resubmit, shard.publishedAt > since);
    if (chosen.again.length + chosen.asked.length === 0) continue;
    const { firstItem, items, ended } = shard.shard;
    const left = createBitmap(items, ended);
    for (const [item] of chosen.again) left.remove(item - firstItem);
    for (const { item } of chosen.asked) left.remove(item - firstItem);
    if (await reopenShard(database, batch.batch, shard.shard, chosen, left.bytes())) count += chosen.again.length;
  }
  return { count, notes: resubmit === undefined ? [] : [describeResubmitted(count, resubmit.onlyError, true)] };
}

async function chooseItems(
  { database }: ReadPorts,
  { batch }: StoredBatch,
  { shard, groups }: ShardReader,
  resubmit: Resubmit | undefined,
  mayBeThere: boolean,
): Promise<ReopenedItems> {
  const wanted = resubmit?.states ?? [];
  const matches = resubmit?.onlyError === undefined ? () => true : errorMatcher(resubmit.onlyError);
  const again: (readonly [number, Resubmittable])[] = [];
  const asked: KnownJob[] = [];
  if (wanted.includes('unknown') && resubmit?.onlyError === undefined)
    for (const item of await unknownOf(database, batch, shard.shard, shard.shard + 1)) again.push([item, 'unknown']);
  const choose = (item: number, result: Json): void => {
    const state = stateOf(result);
    if (state === 'completed') return;
    const job = stringOf(memberAt(result, 'job'));
    if (wanted.includes(state) && matches(result)) again.push([item, state]);
    else if (state === 'expired' && mayBeThere && job !== undefined) {
      const label = memberAt(result, 'id');
      const id = label === undefined ? undefined : encodeJson(label);
      asked.push({ item, job, id, submittedAt: 0, retries: 0 });
    }
  };
  for await (const lines of groups())
    for (const [item, line] of lines) choose(item, decodeJson(Buffer.from(line).toString()));
  return { again, asked };
}
