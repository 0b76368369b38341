import { type Compression, decompress } from '../bytes/compression.ts';
import type { InputFormat, InvalidItem, Item } from './items/item.ts';
import { readItems } from './items/read-items.ts';
import type { CountedItems } from './counted-source.ts';

/**
 * Reads the items of a compressed file. It can only be decompressed from its beginning: items that follow those that were
 * read last are read on from there, so that reading all in order decompresses the file once. `read` reads its bytes.
 */
export function compressedItems(
  read: () => AsyncIterable<Uint8Array>,
  format: InputFormat,
  kind: Compression,
): CountedItems {
  let kept: Cursor | undefined;
  const open = (): Cursor =>
    openCursor((isWanted) => readItems(decompress(read(), kind, format.path), format, { item: 1, isWanted }));
  /** Returns the cursor that is kept when it has not passed an item yet, and closes it otherwise. */
  const take = async (start: number): Promise<Cursor | undefined> => {
    const last = kept;
    kept = undefined;
    if (last !== undefined && last.position <= start) return last;
    await last?.close();
    return undefined;
  };
  return {
    close: async () => {
      await take(-1);
    },
    items: async function* (start, end) {
      const cursor = (await take(start)) ?? open();
      let isWhole = false;
      try {
        yield* cursor.read(start, end);
        isWhole = true;
      } finally {
        await (isWhole ? take(-1) : cursor.close());
        if (isWhole) kept = cursor;
      }
    },
  };
}

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
