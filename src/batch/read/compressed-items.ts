import { type Compression, decompress } from '../bytes/compression.ts';
import type { InputFormat, InvalidItem, Item } from './items/item.ts';
import { readItems } from './items/read-items.ts';
import type { CountedItems } from './source-by-items.ts';

/** A file that is read up to an item. Items are counted from 0 here. */
interface Reader {
  /** Items before this one are not wanted. */
  from: number;
  /** How many items were read. */
  position: number;
  /** The rest of the group that was read last. */
  group: Iterator<Item | InvalidItem> | undefined;
  readonly groups: AsyncGenerator<Iterable<Item | InvalidItem>>;
}

/**
 * Reads the items of a compressed file. It can only be decompressed from its beginning: items that follow those that were
 * read last are read on from there, so that reading all in order decompresses the file once. `read` reads its bytes.
 */
export function compressedItems(
  read: () => AsyncIterable<Uint8Array>,
  format: InputFormat,
  kind: Compression,
): CountedItems {
  let kept: Reader | undefined;
  const open = (): Reader => {
    const isWanted = (number: number): boolean => number > opened.from;
    const groups = readItems(decompress(read(), kind, format.path), format, { item: 1, isWanted });
    const opened: Reader = { from: 0, position: 0, group: undefined, groups };
    return opened;
  };
  /** Keeps another reader, or none, and closes the one that was kept. */
  const keep = async (next?: Reader): Promise<void> => {
    const last = kept;
    kept = next;
    await last?.groups.return(undefined).catch(() => undefined);
  };
  return {
    close: () => keep(),
    items: async function* (start, end) {
      if (kept !== undefined && kept.position > start) await keep();
      const reader = kept ?? open();
      kept = undefined;
      reader.from = start;
      let isWhole = false;
      try {
        while (reader.position < end) {
          if (reader.group === undefined) {
            const next = await reader.groups.next();
            if (next.done === true) break;
            reader.group = next.value[Symbol.iterator]();
          }
          yield itemsUpTo(reader, end);
        }
        isWhole = true;
      } finally {
        await keep(reader);
        if (!isWhole) await keep();
      }
    },
  };
}

function* itemsUpTo(reader: Reader, end: number): Generator<Item | InvalidItem> {
  while (reader.group !== undefined && reader.position < end) {
    const next = reader.group.next();
    if (next.done === true) reader.group = undefined;
    else {
      reader.position = next.value.number;
      yield next.value;
    }
  }
}
