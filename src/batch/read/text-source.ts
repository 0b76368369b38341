import type { StoredObject } from '../../core/context.ts';
import type { InputFormat } from './items/item.ts';
import { placedItems, readItems } from './items/read-items.ts';
import {
  type ByteRange,
  collect,
  hasExactVersion,
  hashRanges,
  unhashed,
  inputChanged,
  openContent,
} from './unchanged-content.ts';
import type { InputSource, SourcePorts } from './input-source.ts';
import { createRangeCounter, type ItemRange } from './range.ts';

/**
 * JSON lines and CSV, cut by byte ranges that end after a line or a row. Every range of a CSV file is read with the header
 * before it.
 */
export function textSource(ports: SourcePorts, object: StoredObject, format: InputFormat): InputSource {
  const isExact = hasExactVersion(object.address);
  const isCsv = format.format === 'csv';
  const content = openContent(ports, object, format.path);
  let header = isCsv ? undefined : { end: 0, lines: 0 };

  const readHeader = async (): Promise<{ readonly end: number; readonly lines: number }> => {
    if (header !== undefined) return header;
    for await (const [row] of placedItems(content.read(0, object.bytes), format, { item: 1 }))
      if (row !== undefined) return (header = row);
    return (header = { end: 0, lines: 0 });
  };
  const partsOf = async ({ start, end }: ItemRange): Promise<readonly ByteRange[]> => [
    [0, (await readHeader()).end],
    [start, end],
  ];
  return {
    matches: async (range) =>
      (await content.refresh()) && (await content.matches(range.digest, ...(await partsOf(range)))),
    close: async () => undefined,
    plan: async function* (itemsPerRange, firstItem, onItem) {
      let { end, lines } = await readHeader();
      const prefix = await collect(content.read(0, end));
      const chunks = content.read(0, object.bytes);
      const hashed = isExact ? unhashed(chunks) : hashRanges(chunks);
      const range = createRangeCounter(itemsPerRange, { item: firstItem, start: end, line: lines + 1 }, onItem);
      const cut = (): ItemRange => {
        hashed.advance(end);
        return range.cut(end, lines + 1, hashed.digest(prefix));
      };
      for await (const group of placedItems(hashed.chunks, format, { item: firstItem })) {
        for (const each of group) {
          ({ end, lines } = each);
          if (each.item !== undefined) range.add(each.item);
          if (range.isFull) yield cut();
        }
        // A line may be longer than what may be kept; the parser of CSV reads ahead, and refuses such a row.
        hashed.advance(isCsv ? end : undefined);
      }
      if (range.items > 0) yield cut();
    },
    read: async function* (range) {
      if (!(await content.refresh())) throw inputChanged(format.path);
      const parts = await partsOf(range);
      await content.require(range.digest, ...parts);
      const chunks = async function* (): AsyncGenerator<Uint8Array> {
        for (const [start, end] of parts) if (end > start) yield* content.read(start, end);
      };
      yield* readItems(chunks(), format, { item: range.firstItem, line: range.firstLine });
    },
  };
}
