import type { StoredObject } from '../../core/context.ts';
import { gunzip } from '../bytes/gzip.ts';
import type { InputSource, SourcePorts } from './input-source.ts';
import type { InputFormat, InvalidItem, Item } from './items/item.ts';
import { readItems } from './items/read-items.ts';
import { createRangeCounter } from './range.ts';
import { openContent } from './unchanged-content.ts';

/** A file that is read up to an item. Items have their numbers of the batch. */
interface Reader {
  /** Items before this one are not wanted. */
  from: number;
  /** The item that was read last. */
  position: number;
  /** The rest of the group that was read last. */
  group: Iterator<Item | InvalidItem> | undefined;
  readonly groups: AsyncGenerator<Iterable<Item | InvalidItem>>;
}

/**
 * A gzip file, cut by items. It can only be decompressed from its beginning: items that follow those that were read last
 * are read on from there, so that reading all in order decompresses the file once.
 */
export function gzipSource(ports: SourcePorts, object: StoredObject, format: InputFormat): InputSource {
  const whole = [0, object.bytes] as const;
  const content = openContent(ports, object, format.path);
  const itemsFrom = (firstItem: number, isWanted?: (number: number) => boolean) =>
    readItems(gunzip(content.read(...whole), format.path), format, {
      item: firstItem,
      ...(isWanted === undefined ? {} : { isWanted }),
    });
  let kept: Reader | undefined;
  const open = (firstItem: number): Reader => {
    const groups = itemsFrom(firstItem, (number) => number >= reader.from);
    const reader: Reader = { from: 0, position: 0, group: undefined, groups };
    return reader;
  };
  /** Keeps another reader, or none, and closes the one that was kept. */
  const keep = async (next?: Reader): Promise<void> => {
    const last = kept;
    kept = next;
    await last?.groups.return(undefined).catch(() => undefined);
  };
  return {
    matches: ({ digest }) => content.matches(digest, whole),
    close: () => keep(),
    plan: async function* (itemsPerRange, firstItem, onItem) {
      const digest = await content.digestOf(whole);
      const range = createRangeCounter(itemsPerRange, { item: firstItem, start: 0, line: 1 }, onItem);
      let end = 0;
      for await (const items of itemsFrom(firstItem))
        for (const item of items) {
          range.add(item);
          end += 1;
          if (range.isFull) yield range.cut(end, end + 1, digest);
        }
      if (range.items > 0) yield range.cut(end, end + 1, digest);
    },
    read: async function* ({ start, items, firstItem, digest }) {
      await content.require(digest, whole);
      if (kept !== undefined && kept.position >= firstItem) await keep();
      const reader = kept ?? open(firstItem - start);
      kept = undefined;
      reader.from = firstItem;
      const last = firstItem + items - 1;
      let isWhole = false;
      try {
        while (reader.position < last) {
          if (reader.group === undefined) {
            const next = await reader.groups.next();
            if (next.done === true) break;
            reader.group = next.value[Symbol.iterator]();
          }
          yield itemsUpTo(reader, last);
        }
        isWhole = true;
      } finally {
        await keep(reader);
        if (!isWhole) await keep();
      }
    },
  };
}

function* itemsUpTo(reader: Reader, last: number): Generator<Item | InvalidItem> {
  while (reader.group !== undefined && reader.position < last) {
    const next = reader.group.next();
    if (next.done === true) reader.group = undefined;
    else {
      reader.position = next.value.number;
      yield next.value;
    }
  }
}
