import type { StoredBatch } from '../rows/batch-rows.ts';
import type { ReadPorts } from '../database/database.ts';
import { listParts, listShards } from '../rows/listing.ts';
import { endEpoch, type Held } from '../rows/shard-rows.ts';
import { addressIn, parsePartName, partPrefix } from '../shard/part-files.ts';

/** An object that was written for the batch, and is no part of it. */
interface Leftover extends Held {
  readonly address: string;
  readonly bytes: number;
  /** True when its epoch is that of its shard: a driver that was stopped may go on and publish it. */
  readonly isCurrent: boolean;
}

/**
 * Returns the objects in the folder of a batch that were written for a part and never published: their driver ended, or
 * had lost the shard. Those of an epoch under which a driver may still publish are left out, and all whose
 * names have not the token of the batch. Fails as the storage and the
 * database do.
 */
export async function findLeftovers(
  ports: ReadPorts,
  { batch, manifest, shards, token }: StoredBatch,
): Promise<readonly Leftover[]> {
  const { database, storage, signal } = ports;
  // Without a token, no name proves that a part is of this batch.
  if (token === undefined) return [];
  const prefix = addressIn(manifest.out, partPrefix(token));
  const candidates: (Omit<Leftover, 'isCurrent'> & { readonly name: string })[] = [];
  for await (const { address, bytes } of storage.list(prefix, signal)) {
    const name = address.slice(prefix.length - partPrefix(token).length);
    const parsed = parsePartName(token, name);
    if (parsed !== undefined) candidates.push({ address, bytes, name, ...parsed });
  }
  // Objects, epochs, published parts, in this order: a part whose epoch was over when it was read has its row by then.
  const current = new Map((await listShards(database, batch, [0, shards])).map((shard) => [shard.shard, shard]));
  const published = new Set((await listParts(database, batch, [0, shards])).map(({ name }) => name));
  return candidates.flatMap(({ name, ...object }) => {
    const { shard, epoch } = object;
    const row = current.get(shard);
    if (published.has(name) || row === undefined) return [];
    const isCurrent = epoch === row.epoch;
    return epoch < row.epoch || (isCurrent && !row.isHeld) ? [{ ...object, isCurrent }] : [];
  });
}

/**
 * Removes objects, except those that a driver may publish after all. Returns what was removed. Fails as the storage and the
 * database do.
 */
export async function removeLeftovers(
  { database, storage, signal }: ReadPorts,
  { batch }: StoredBatch,
  leftovers: readonly Leftover[],
): Promise<readonly Leftover[]> {
  const removed: Leftover[] = [];
  const endedShards = new Set<number>();
  for (const each of leftovers) {
    const { address, shard, isCurrent } = each;
    if (isCurrent && !endedShards.has(shard)) {
      if (!(await endEpoch(database, batch, each))) continue;
      endedShards.add(shard);
    }
    await storage.remove(address, signal);
    removed.push(each);
  }
  return removed;
}
