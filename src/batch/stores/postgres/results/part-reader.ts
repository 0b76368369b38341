import type { ReadPorts } from '../database/database.ts';
import type { ResultLine } from '../../../model/store.ts';
import { createHash, type Hash } from 'node:crypto';
import { localFile } from '../../../../core/failure.ts';
import { decodeJson } from '../../../../core/json.ts';
import { gunzip, isGzip } from '../../../bytes/gzip.ts';
import { lineGroups } from '../../../bytes/split-lines.ts';
import type { StoredBatch } from '../rows/batch-rows.ts';
import { listParts, listShards, unknownOf, type PublishedPart, type ShardResults, spansOf } from '../rows/listing.ts';
import { createBitmap } from '../shard/bitmap.ts';
import { addressIn } from '../shard/part-files.ts';
import { itemOfLine, endingOrFailed } from '../../../model/result-line.ts';
import type { Bytes, EpochMs } from '../../../../core/unit-types.ts';

/** The last line of each item that has ended, without its line feed, by item. */
type ResultLines = ReadonlyMap<number, Uint8Array>;

export interface ShardReader {
  readonly shard: ShardResults;
  /** When its latest part was published. */
  readonly publishedAt: EpochMs;
  /**
   * Yields the results in groups that fit into memory; in most shards, one group has all. Each item of a group has a
   * greater number than all items of the groups before. Fails with local-file (14) when a part is missing, and as the
   * storage does.
   */
  readonly groups: () => AsyncGenerator<ResultLines>;
}

/** Bytes of the results of a group, unless one result is longer. For each further group, the parts are read again. */
const MAX_GROUP_BYTES = 64 * 1024 * 1024;

/** Yields the shards of a batch in the order of the input. Fails as the database does. */
export async function* readShards(
  ports: ReadPorts,
  batch: StoredBatch,
  maxGroupBytes = MAX_GROUP_BYTES,
): AsyncGenerator<ShardReader> {
  for (const span of spansOf(batch.shards)) {
    const shards = await listShards(ports.database, batch.batch, span);
    const unknown = await unknownOf(ports.database, batch.batch, span);
    const allParts = await listParts(ports.database, batch.batch, span);
    for (const shard of shards) {
      const ended = createBitmap(shard.items, shard.ended);
      const parts = allParts.filter((part) => part.shard === shard.shard);
      const hasEnded = (item: number): boolean => !unknown.has(item) && ended.has(item - shard.firstItem);
      yield {
        shard,
        publishedAt: parts.at(-1)?.publishedAt ?? 0,
        groups: () => groupsOf(() => linesOfParts(ports, batch.manifest.out, parts, hasEnded), parts, maxGroupBytes),
      };
    }
  }
}

/** Whether a shard with expired items has a part that was published after a date. Fails as the database does. */
export async function hasExpiredSince(ports: ReadPorts, batch: StoredBatch, since: EpochMs): Promise<boolean> {
  for await (const { shard, publishedAt } of readShards(ports, batch))
    if (shard.expired > 0 && publishedAt > since) return true;
  return false;
}

/** Returns the items whose jobs the service no longer had, in ascending order. Reads the parts of their shards. Fails as these do. */
export async function listExpired(ports: ReadPorts, batch: StoredBatch): Promise<readonly number[]> {
  const items: number[] = [];
  for await (const { shard, groups } of readShards(ports, batch))
    if (shard.expired > 0)
      for await (const lines of groups())
        for (const [item, line] of lines)
          if (endingOrFailed(decodeJson(Buffer.from(line).toString())) === 'expired') items.push(item);
  return items.sort((one, other) => one - other);
}

async function* groupsOf(
  read: () => AsyncGenerator<readonly ResultLine[]>,
  parts: readonly PublishedPart[],
  maxBytes: Bytes,
): AsyncGenerator<ResultLines> {
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  if (bytes <= maxBytes) {
    const lines = await lastLines(read(), () => true);
    if (lines.size > 0) yield lines;
    return;
  }
  const sizes = new Map<number, number>();
  for await (const lines of read()) for (const { item, bytes } of lines) sizes.set(item, bytes.byteLength);
  for (const { first, last } of rangesOfBytes(sizes, maxBytes))
    yield await lastLines(read(), (item) => item >= first && item <= last);
}

/** Cuts items into ranges whose lines have no more bytes than `maxBytes`, or one item. */
function* rangesOfBytes(sizes: ReadonlyMap<number, number>, maxBytes: Bytes) {
  let range: { readonly first: number; last: number; bytes: number } | undefined;
  for (const [item, bytes] of [...sizes].sort(([one], [other]) => one - other))
    if (range !== undefined && range.bytes + bytes <= maxBytes) {
      range.last = item;
      range.bytes += bytes;
    } else {
      if (range !== undefined) yield range;
      range = { first: item, last: item, bytes };
    }
  if (range !== undefined) yield range;
}

async function lastLines(
  all: AsyncGenerator<readonly ResultLine[]>,
  isWanted: (item: number) => boolean,
): Promise<Map<number, Uint8Array>> {
  const lines = new Map<number, Uint8Array>();
  for await (const group of all)
    for (const { item, bytes } of group) {
      if (!isWanted(item)) continue;
      // A later part has the result of an item that was sent again.
      lines.delete(item);
      lines.set(item, Buffer.from(bytes));
    }
  return lines;
}

/**
 * Yields the lines of parts in the order in which they were published, in groups: use one before the next. Fails with
 * local-file (14) when a part is missing, and after its last line when it is not what was published.
 */
async function* linesOfParts(
  { storage, signal }: ReadPorts,
  out: string,
  parts: readonly PublishedPart[],
  hasEnded: (item: number) => boolean,
): AsyncGenerator<readonly ResultLine[]> {
  for (const { name, sha256 } of parts) {
    const address = addressIn(out, name);
    const object = await storage.describe(address, signal);
    if (object === undefined) throw localFile(`the part ${address} is missing`, 'Restore it as it was.');
    const stored = storage.read(object, 0, object.bytes, signal);
    const chunks = isGzip(name) ? gunzip(stored, address) : stored;
    const hash = createHash('sha256');
    for await (const group of lineGroups(hashed(chunks, hash), Number.MAX_SAFE_INTEGER)) {
      const lines: ResultLine[] = [];
      for (const { bytes } of group) {
        const item = itemOfLine(bytes);
        if (item !== undefined && hasEnded(item)) lines.push({ item, bytes });
      }
      yield lines;
    }
    if (hash.digest('hex') !== sha256)
      throw localFile(`the part ${address} is not what was published`, 'Restore it as it was.');
  }
}

async function* hashed(chunks: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}
