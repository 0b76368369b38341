import { itemsLeft } from '../../model/item-states.ts';
import type { PlannedRange } from '../../read/range.ts';
import type { BatchHistory, BatchStatus, ResultLine, StoredBatchResults } from '../../model/store.ts';
import { createTimeline } from '../../model/ends-over-time.ts';
import type { SharedPorts, Database } from './database/database.ts';
import { readAccount, type StoredBatch } from './rows/batch-rows.ts';
import { countDrivers, listParts, listShards, listUnknown, type PublishedPart, spansOf } from './rows/listing.ts';
import { addressIn } from './shard/part-files.ts';
import { readShards } from './results/part-reader.ts';
import { listHolders } from './rows/shard-holders.ts';

/**
 * Finds the results that a batch has published. Memory is bounded: see `ShardReader`. Fails as the database and the storage
 * do.
 */
export async function readBatchResults(ports: SharedPorts, batch: StoredBatch): Promise<StoredBatchResults> {
  const { database } = ports;
  const { manifest } = batch;
  const parts = await listParts(database, batch.batch, [0, batch.shards]);
  return {
    status: await readStatus(ports, batch),
    files: parts.map(({ name }) => addressIn(manifest.out, name)),
    history: historyOf(batch, parts),
    lines: async function* (order) {
      for await (const { groups } of readShards(ports, batch))
        for await (const group of groups()) {
          const lines = [...group].map(([item, bytes]): ResultLine => ({ item, bytes }));
          yield order === 'in-order' ? lines.sort((one, other) => one.item - other.item) : lines;
        }
    },
    // Their content is compared when it is read: it may be much, and on another machine.
    inputs: async () => ({ ...manifest, ranges: plannedRanges(database, batch) }),
  };
}

async function* plannedRanges(database: Database, { batch, shards }: StoredBatch): AsyncGenerator<PlannedRange> {
  for (const span of spansOf(shards)) yield* await listShards(database, batch, span);
}

/** The timeline has every end, also of items that were sent again later; the last end is the latest publication. */
function historyOf({ workerPrice }: StoredBatch, parts: readonly PublishedPart[]): BatchHistory {
  const timeline = createTimeline();
  for (const { ends } of parts)
    for (const [second, completed, notCompleted] of ends) timeline.add(second * 1000, completed, notCompleted);
  const lastEndedAt = parts.length === 0 ? undefined : Math.max(...parts.map(({ publishedAt }) => publishedAt));
  return { retried: 0, timeline, lastEndedAt, workerPrice };
}

/** Reads the state of a batch and changes nothing. Fails as the database does. */
export async function readStatus(
  { reference, database }: SharedPorts,
  { batch, name, manifest, ...facts }: StoredBatch,
): Promise<BatchStatus> {
  const { holds, ...counts } = await readAccount(database, batch);
  const { drivers, doneShards } = await countDrivers(database, batch);
  const left = itemsLeft(counts) > 0;
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
