import { usage } from '../../core/failure.ts';
import { decodeJson } from '../../core/json.ts';
import type { Resubmittable } from '../stores/items/item-state-machine.ts';
import type { StoredBatch } from '../stores/postgres/rows/batch-rows.ts';
import { countDrivers, unknownOf } from '../stores/postgres/rows/listing.ts';
import { reopenShard } from '../stores/postgres/rows/reopen-shard.ts';
import type { Resubmit } from '../stores/file/resubmit-items.ts';
import { errorMatcher } from '../stores/items/error-text.ts';
import { stateOf } from '../stores/items/result-state.ts';
import { createBitmap } from '../stores/postgres/driver/bitmap.ts';
import { readShards, type ReadPorts } from './part-reader.ts';

/**
 * Sets items of a batch back, so that they are sent as new jobs. Returns what was done: one sentence. Fails with usage (2)
 * while drivers work on the batch. When it is interrupted, the shards that it had not reached are unchanged.
 */
export async function resubmitShared(ports: ReadPorts, batch: StoredBatch, resubmit: Resubmit): Promise<string> {
  const { drivers } = await countDrivers(ports.database, batch.batch);
  if (drivers > 0)
    throw usage(
      `${String(drivers)} drivers work on the batch ${batch.name}`,
      'Items are set back when no driver works on it: stop them, or wait until their leases have ended.',
    );
  const matches = resubmit.onlyError === undefined ? () => true : errorMatcher(resubmit.onlyError);
  let count = 0;
  for await (const { shard, groups } of readShards(ports, batch)) {
    const chosen: (readonly [number, Resubmittable])[] = [];
    if (resubmit.states.includes('unknown') && resubmit.onlyError === undefined)
      for (const item of await unknownOf(ports.database, batch.batch, shard.shard, shard.shard + 1))
        chosen.push([item, 'unknown']);
    for await (const lines of groups())
      for (const [item, line] of lines) {
        const result = decodeJson(Buffer.from(line).toString());
        const state = stateOf(result);
        if (state !== 'completed' && resubmit.states.includes(state) && matches(result)) chosen.push([item, state]);
      }
    if (chosen.length === 0) continue;
    const ended = createBitmap(shard.items, shard.ended);
    for (const [item] of chosen) ended.remove(item - shard.firstItem);
    count += await reopenShard(ports.database, batch.batch, shard, chosen, ended.bytes());
  }
  if (count === 0) return 'no item to send again';
  return `${count === 1 ? '1 item is' : `${String(count)} items are`} sent again: some may run twice`;
}
