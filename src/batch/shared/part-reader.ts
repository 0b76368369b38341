import { createHash, type Hash } from 'node:crypto';
import type { ObjectStorage } from '../../core/context.ts';
import { localFile } from '../../core/failure.ts';
import { compressionOf, decompress } from '../compression.ts';
import { lineGroups } from '../split-lines.ts';
import type { StoredBatch } from '../store/postgres/batch-rows.ts';
import type { Database } from '../store/postgres/database.ts';
import { listParts, listShards, unknownOf, type PublishedPart, type ShardResults } from '../store/postgres/listing.ts';
import { itemOfLine } from '../store/results/stored-results.ts';
import { createBitmap } from '../store/shared/bitmap.ts';
import { addressIn } from '../store/shared/part-files.ts';

export interface ReadPorts {
  readonly database: Database;
  readonly storage: ObjectStorage;
  readonly signal: AbortSignal;
}

/** The results of a shard: the last line of each item that has ended. */
export interface ShardLines {
  readonly shard: ShardResults;
  /** Lines without their line feed, by item, in the order in which they were published. */
  readonly lines: ReadonlyMap<number, Uint8Array>;
}

/** Rows of so many shards are read at once. */
const SHARDS_AT_ONCE = 500;

/**
 * Yields the published results of a batch shard by shard, in the order of the input, and keeps those of one shard in
 * memory. Fails with local-file (14) when a part is missing or was changed, and as the storage and the database do.
 */
export async function* readShards(ports: ReadPorts, batch: StoredBatch): AsyncGenerator<ShardLines> {
  for (let from = 0; from < batch.shards; from += SHARDS_AT_ONCE) {
    const until = from + SHARDS_AT_ONCE;
    const shards = await listShards(ports.database, batch.batch, from, until);
    const unknown = await unknownOf(ports.database, batch.batch, from, until);
    const parts = await listParts(ports.database, batch.batch, from, until);
    for (const shard of shards)
      yield {
        shard,
        lines: await readShard(
          ports,
          batch,
          shard,
          parts.filter((part) => part.shard === shard.shard),
          unknown,
        ),
      };
  }
}

async function readShard(
  { storage, signal }: ReadPorts,
  { manifest }: StoredBatch,
  shard: ShardResults,
  parts: readonly PublishedPart[],
  unknown: ReadonlySet<number>,
): Promise<ReadonlyMap<number, Uint8Array>> {
  const ended = createBitmap(shard.items, shard.ended);
  const lines = new Map<number, Uint8Array>();
  for (const { name, sha256 } of parts) {
    const address = addressIn(manifest.out, name);
    const object = await storage.describe(address, signal);
    if (object === undefined) throw localFile(`the part ${address} is missing`, 'Restore it as it was.');
    const compression = compressionOf(name);
    const stored = storage.read(object, 0, object.bytes, signal);
    const chunks = compression === undefined ? stored : decompress(stored, compression, address);
    const hash = createHash('sha256');
    for await (const group of lineGroups(hashed(chunks, hash), Number.MAX_SAFE_INTEGER))
      for (const { bytes } of group) {
        const item = itemOfLine(bytes);
        if (item === undefined || unknown.has(item) || !ended.has(item - shard.firstItem)) continue;
        // A later part has the result of an item that was sent again.
        lines.delete(item);
        lines.set(item, Buffer.from(bytes));
      }
    if (hash.digest('hex') !== sha256)
      throw localFile(`the part ${address} is not what was published`, 'Restore it as it was.');
  }
  return lines;
}

async function* hashed(chunks: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}
