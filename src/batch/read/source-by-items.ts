import type { StoredObject } from '../../core/context.ts';
import type { InputFormat, InvalidItem, Item } from './items/item.ts';
import { type Content, openContent } from './unchanged-content.ts';
import type { InputSource, SourcePorts } from './input-source.ts';
import { createRangeCounter } from './range.ts';

type Items = Iterable<Item | InvalidItem>;

/** What reads the items of one file, which have numbers from 1. */
export interface CountedItems {
  /** The items from `start` up to `end`, counted from 0, in groups. Fails as reading the file does. */
  items(start: number, end: number): AsyncGenerator<Items>;
  /** Closes what is kept open between two calls. */
  close(): Promise<void>;
}

/** A file whose items have no places of their own: compressed or Parquet. Its ranges are cut by items. */
export function countedSource(
  ports: SourcePorts,
  object: StoredObject,
  format: InputFormat,
  open: (content: Content) => Promise<CountedItems>,
): InputSource {
  const whole = [0, object.bytes] as const;
  const content = openContent(ports, object, format.path);
  let opened: Promise<CountedItems> | undefined;
  return {
    matches: ({ digest }) => content.matches(digest, whole),
    close: async () => {
      const last = opened;
      opened = undefined;
      await last?.then((reader) => reader.close());
    },
    plan: async function* (itemsPerRange, firstItem, onItem) {
      const digest = await content.digestOf(whole);
      const range = createRangeCounter(itemsPerRange, { item: firstItem, start: 0, line: 1 }, onItem);
      let end = 0;
      for await (const items of (await open(content)).items(0, Number.POSITIVE_INFINITY))
        for (const item of renumbered(items, firstItem - 1)) {
          range.add(item);
          end += 1;
          if (range.isFull) yield range.cut(end, end + 1, digest);
        }
      if (range.items > 0) yield range.cut(end, end + 1, digest);
    },
    read: async function* ({ start, end, firstItem, digest }) {
      await content.require(digest, whole);
      const reader = await (opened ??= open(content));
      for await (const items of reader.items(start, end)) yield renumbered(items, firstItem - start - 1);
    },
  };
}

/** Those of a batch are numbered through all files. */
function* renumbered(items: Items, added: number): Generator<Item | InvalidItem> {
  for (const item of items) yield added === 0 ? item : { ...item, number: item.number + added };
}
