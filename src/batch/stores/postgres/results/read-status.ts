import type { BatchStatus, StorePorts } from '../../../model/store.ts';
import type { Database } from '../database/database.ts';
import { readAccount, type StoredBatch } from '../rows/batch-rows.ts';
import { listHolders } from '../rows/shard-holders.ts';
import { countDrivers, listUnknown } from '../rows/listing.ts';

/** Reads the state of a batch and changes nothing. Fails as the database does. */
export async function readStatus(
  { reference }: Pick<StorePorts, 'reference'>,
  database: Database,
  { batch, name, manifest, ...facts }: StoredBatch,
): Promise<BatchStatus> {
  const { holds, ...counts } = await readAccount(database, batch);
  const { drivers, doneShards } = await countDrivers(database, batch);
  const left = counts.waiting + counts.inFlight > 0;
  const { endpoint, input, service, out } = manifest;
  return {
    ...{ name, endpoint, input, service, counts },
    reference: reference(name),
    invalid: facts.invalid,
    resubmitted: facts.resubmitted,
    unknownItems: await listUnknown(database, batch),
    unordered: false,
    resumable: left,
    state: drivers > 0 ? 'running' : !left ? 'ended' : facts.cancelled ? 'cancelled' : 'stopped',
    shared: { out, drivers, holders: await listHolders(database, batch), shards: facts.shards, doneShards, holds },
    begunAt: facts.createdAt,
  };
}
