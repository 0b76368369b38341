import type { StoredObject } from '../../core/context.ts';
import { readCsvItems } from './items/csv.ts';
import type { InputFormat } from './items/item.ts';
import { createRangeCounter, type InputSource, type ItemRange, type SourcePorts } from './range.ts';
import { readItems } from './items/read-items.ts';
import { type ByteRange, collect, hasExactVersion, hashRanges, inputChanged, openContent } from './content.ts';

/** A CSV file, cut by byte ranges that end after a row. Every range is read with the header before it. */
export function csvSource(ports: SourcePorts, object: StoredObject, format: InputFormat): InputSource {
  const isExact = hasExactVersion(object.address);
  const content = openContent(ports, object, format.path);
  let headerBytes: number | undefined;

  const readHeader = async (): Promise<number> => {
    for await (const { end } of readCsvItems(content.read(0, object.bytes), format, { item: 1 })) return end;
    return 0;
  };
  /** A range of a batch of an earlier version begins at the header. */
  const partsOf = async ({ start, end }: ItemRange): Promise<readonly ByteRange[]> => {
    headerBytes ??= await readHeader();
    return [
      [0, headerBytes],
      [Math.max(start, headerBytes), end],
    ];
  };
  return {
    object,
    matches: async (range) =>
      (await content.refresh()) && (await content.matches(range.digest, ...(await partsOf(range)))),
    close: async () => undefined,
    plan: async function* (itemsPerRange, firstItem, onItem) {
      const hashed = hashRanges(content.read(0, object.bytes));
      const rows = readCsvItems(hashed.chunks, format, { item: firstItem });
      const first = await rows.next();
      if (first.done === true) return;
      headerBytes = first.value.end;
      const prefix = await collect(content.read(0, headerBytes));
      let { end, lines } = first.value;
      const range = createRangeCounter(itemsPerRange, { item: firstItem, start: end, line: lines + 1 }, onItem);
      hashed.advance(end);
      const digest = (): string => {
        const text = hashed.digest(prefix);
        return isExact ? '' : text;
      };
      for await (const row of rows) {
        ({ end, lines } = row);
        hashed.advance(end);
        if (row.item !== undefined) range.add(row.item);
        if (range.isFull) yield range.cut(end, lines + 1, digest());
      }
      if (range.items > 0) yield range.cut(end, lines + 1, digest());
    },
    read: async function* (range) {
      if (!(await content.refresh())) throw inputChanged(format.path);
      const parts = await partsOf(range);
      await content.require(range.digest, ...parts);
      const chunks = async function* (): AsyncGenerator<Uint8Array> {
        for (const [start, end] of parts) yield* content.read(start, end);
      };
      const { start, firstItem, firstLine } = range;
      yield* readItems(chunks(), format, { item: firstItem, ...(start === 0 ? {} : { line: firstLine }) });
    },
  };
}
