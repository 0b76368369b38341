import type { StoredObject } from '../../../core/context.ts';
import { decompress, type Compression } from '../../bytes/compression.ts';
import type { InputFormat, InvalidItem, Item } from '../item.ts';
import { readItems } from '../read-items.ts';
import { digestOf, hasExactVersion, verifyOnce } from './content-digest.ts';
import type { InputSource, SourcePorts } from './input-source.ts';
import { renumbered } from './renumbered.ts';
import { createShardCounter } from './shard-counter.ts';

/**
 * A compressed file, cut by items. It can only be decompressed from its beginning: a range that follows the one that was
 * read last is read on from there, so that reading all ranges in order decompresses the file once.
 */
export function compressedSource(
  ports: SourcePorts,
  object: StoredObject,
  format: InputFormat,
  kind: Compression,
): InputSource {
  const { storage, signal } = ports;
  const isExact = hasExactVersion(object.address);
  const verify = verifyOnce(ports, object);
  let idle: Cursor | undefined;
  /** Returns the idle cursor when it has not passed an item yet, and closes it otherwise. */
  const takeIdle = async (start: number): Promise<Cursor | undefined> => {
    const last = idle;
    idle = undefined;
    if (last !== undefined && last.position <= start) return last;
    await last?.close();
    return undefined;
  };
  const keepIdle = async (cursor: Cursor): Promise<void> => {
    await idle?.close();
    idle = cursor;
  };

  const contentOf = (current: StoredObject): AsyncIterable<Uint8Array> =>
    storage.read(current, 0, current.bytes, signal);
  const open = (current: StoredObject): Cursor =>
    openCursor((isWanted) =>
      readItems(decompress(contentOf(current), kind, object.address), format, { item: 1, isWanted }),
    );

  return {
    object,
    close: async () => {
      const last = idle;
      idle = undefined;
      await last?.close();
    },
    plan: async function* (itemsPerShard, firstItem, onItem) {
      const digest = isExact ? '' : await digestOf(contentOf(object));
      const shard = createShardCounter(itemsPerShard, { item: firstItem, start: 0, line: 1 }, onItem);
      const groups = readItems(decompress(contentOf(object), kind, object.address), format, { item: firstItem });
      let end = 0;
      for await (const items of groups)
        for (const item of items) {
          shard.add(item);
          end += 1;
          if (shard.isFull) yield shard.cut(end, 1, digest);
        }
      if (shard.items > 0) yield shard.cut(end, 1, digest);
    },
    read: async function* ({ start, end, firstItem, digest }) {
      const current = await verify(digest);
      const cursor = (await takeIdle(start)) ?? open(current);
      let isWhole = false;
      try {
        for await (const items of cursor.read(start, end)) yield renumbered(items, firstItem - start - 1);
        isWhole = true;
      } finally {
        await (isWhole ? keepIdle(cursor) : cursor.close());
      }
    },
  };
}

/** Reads the items of a file in order, part by part. */
interface Cursor {
  /** The number of items that were passed. */
  readonly position: number;
  /** The items from `start` up to `end`, counted from 0, in groups. `start` is not before `position`. */
  read(start: number, end: number): AsyncGenerator<Iterable<Item | InvalidItem>>;
  close(): Promise<void>;
}

function openCursor(
  readAll: (isWanted: (number: number) => boolean) => AsyncGenerator<Iterable<Item | InvalidItem>>,
): Cursor {
  let from = 0;
  let position = 0;
  const groups = readAll((number) => number > from);
  let group: Iterator<Item | InvalidItem> | undefined;

  function* upTo(end: number): Generator<Item | InvalidItem> {
    while (group !== undefined && position < end) {
      const next = group.next();
      if (next.done === true) group = undefined;
      else {
        position = next.value.number;
        yield next.value;
      }
    }
  }
  return {
    get position() {
      return position;
    },
    read: async function* (start, end) {
      from = start;
      while (position < end) {
        if (group === undefined) {
          const next = await groups.next();
          if (next.done === true) return;
          group = next.value[Symbol.iterator]();
        }
        yield upTo(end);
      }
    },
    close: async () => {
      await groups.return(undefined).catch(() => undefined);
    },
  };
}
