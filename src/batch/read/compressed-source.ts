import type { StoredObject } from '../../core/context.ts';
import { type Compression, decompress } from '../bytes/compression.ts';
import type { InputFormat, InvalidItem, Item } from './items/item.ts';
import { readItems } from './items/read-items.ts';
import { openContent } from './content.ts';
import { createRangeCounter, type InputSource, renumbered, type SourcePorts } from './range.ts';

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
  const { bytes } = object;
  const content = openContent(ports, object, format.path);
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

  const decompressed = (): AsyncGenerator<Uint8Array> => decompress(content.read(0, bytes), kind, format.path);
  const open = (): Cursor => openCursor((isWanted) => readItems(decompressed(), format, { item: 1, isWanted }));

  return {
    object,
    matches: ({ digest }) => content.matches(digest, [0, bytes]),
    close: async () => {
      const last = idle;
      idle = undefined;
      await last?.close();
    },
    plan: async function* (itemsPerRange, firstItem, onItem) {
      const digest = await content.digestOf([0, bytes]);
      const shard = createRangeCounter(itemsPerRange, { item: firstItem, start: 0, line: 1 }, onItem);
      const groups = readItems(decompressed(), format, { item: firstItem });
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
      await content.require(digest, [0, bytes]);
      const cursor = (await takeIdle(start)) ?? open();
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
function openCursor(readAll: (isWanted: (number: number) => boolean) => AsyncGenerator<Iterable<Item | InvalidItem>>) {
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
    /** The number of items that were passed. */
    get position(): number {
      return position;
    },
    /** The items from `start` up to `end`, counted from 0, in groups. `start` is not before `position`. */
    read: async function* (start: number, end: number): AsyncGenerator<Iterable<Item | InvalidItem>> {
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
    close: async (): Promise<void> => {
      await groups.return(undefined).catch(() => undefined);
    },
  };
}

type Cursor = ReturnType<typeof openCursor>;
