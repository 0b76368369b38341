import type { ObjectStorage } from '../../core/context.ts';
import type { StoredBatch } from '../store/postgres/batch-rows.ts';
import type { Database } from '../store/postgres/database.ts';
import { listParts, listShards } from '../store/postgres/listing.ts';
import { addressIn, parsePartName } from '../store/shared/part-files.ts';

interface GarbagePorts {
  readonly database: Database;
  readonly storage: ObjectStorage;
  readonly signal: AbortSignal;
}

/** An object that no part of the batch is. */
export interface Garbage {
  readonly address: string;
  readonly bytes: number;
}

/**
 * Returns the objects in the folder of a batch that were written for a part and never published: their driver ended, or
 * had lost the shard. Those of an epoch under which a driver may still publish are left out. Fails as the storage and the
 * database do.
 */
export async function findGarbage(
  ports: GarbagePorts,
  { batch, manifest, shards }: StoredBatch,
): Promise<readonly Garbage[]> {
  const { database, storage, signal } = ports;
  const prefix = addressIn(manifest.out, 'part-');
  const candidates: (Garbage & { readonly name: string; readonly shard: number; readonly epoch: number })[] = [];
  for await (const { address, bytes } of storage.list(prefix, signal)) {
    const name = address.slice(prefix.length - 'part-'.length);
    const parsed = parsePartName(name);
    if (parsed !== undefined) candidates.push({ address, bytes, name, ...parsed });
  }
  // Read after the objects: a part that is published meanwhile has its row.
  const published = new Set((await listParts(database, batch, 0, shards)).map(({ name }) => name));
  const current = new Map((await listShards(database, batch, 0, shards)).map((shard) => [shard.shard, shard]));
  return candidates.filter(({ name, shard, epoch }) => {
    const row = current.get(shard);
    return !published.has(name) && row !== undefined && (epoch < row.epoch || (epoch === row.epoch && !row.isHeld));
  });
}

/** Removes objects. Fails as the storage does. */
export async function removeGarbage({ storage, signal }: GarbagePorts, garbage: readonly Garbage[]): Promise<void> {
  for (const { address } of garbage) await storage.remove(address, signal);
}
