import { assembleLists } from 'hyparquet/src/assemble.js';
import { isFlatColumn } from 'hyparquet/src/schema.js';
import type { DecodedArray } from 'hyparquet';
import type { ByteSource } from './byte-source.ts';
import type { ColumnChunk } from './layout.ts';
import { NotReadable } from './not-readable.ts';
import {
  type ColumnDecoder,
  readDictionary,
  readPageHead,
  readValues,
  type PageHead,
  type PageValues,
} from './page.ts';

/** Reads the values of one leaf in one row group, row by row. */
export interface LeafReader {
  /** Returns the next rows. Fails with NotReadable when there are fewer, and for damaged data. */
  take(rows: number): Promise<readonly unknown[]>;
  skip(rows: number): Promise<void>;
  /** Fails with NotReadable when there are more rows. */
  end(): Promise<void>;
}

/** Bytes of a page header that are read at first. Most have fewer than 100; statistics can make it longer. */
const HEADER_BYTES = 16 * 1024;
const MAX_HEADER_BYTES = 8 * 1024 * 1024;

/** Opens a chunk of a column. Only one page, its dictionary and the rows of one `take` are in memory. */
export function openLeaf(source: ByteSource, chunk: ColumnChunk, decoder: ColumnDecoder): LeafReader {
  const isFlat = isFlatColumn(decoder.schemaPath);
  let offset = chunk.start;
  let dictionary: DecodedArray | undefined;
  /** Rows that are decoded and not taken. In a nested column the last one may go on in the next page. */
  let rows: unknown[] = [];
  let from = 0;

  const nextHead = async (): Promise<PageHead | undefined> => {
    if (offset >= chunk.end) return undefined;
    for (let length = HEADER_BYTES; ; length *= 8) {
      const end = Math.min(chunk.end, offset + length);
      const head = readPageHead(await source.read(offset, end));
      if (head !== undefined) {
        if (offset + head.headerBytes + head.pageBytes > chunk.end) throw new NotReadable('a page breaks off');
        return head;
      }
      if (end === chunk.end || length >= MAX_HEADER_BYTES) throw new NotReadable('a page has no valid header');
    }
  };

  const add = ({ values, definitionLevels, repetitionLevels }: PageValues): void => {
    const left = from === 0 ? rows : rows.slice(from);
    from = 0;
    if (!isFlat) {
      const assembled = assembleLists(
        left,
        definitionLevels,
        repetitionLevels,
        values,
        decoder.schemaPath,
      ) as unknown[];
      rows = assembled === left || left.length === 0 ? assembled : [...left, ...assembled];
      return;
    }
    let next = 0;
    if (definitionLevels.length === 0) for (const value of values as Iterable<unknown>) left.push(value);
    else for (const level of definitionLevels) left.push(level === 0 ? null : (values[next++] as unknown));
    rows = left;
  };

  /** Decodes the next page of data, or passes over it when it has `skippable` rows at most. False at the end. */
  const nextPage = async (skippable: number): Promise<number | false> => {
    const head = await nextHead();
    if (head === undefined) return false;
    const start = offset + head.headerBytes;
    offset = start + head.pageBytes;
    const read = (): Promise<Uint8Array> => source.read(start, offset);
    if (head.header.type === 'DICTIONARY_PAGE') {
      if (dictionary !== undefined) throw new NotReadable('a column has two dictionaries');
      dictionary = readDictionary(head, await read(), chunk.codec, decoder);
      return 0;
    }
    if (head.header.type !== 'DATA_PAGE' && head.header.type !== 'DATA_PAGE_V2') return 0;
    if (head.values === 0) return 0;
    const known = isFlat ? head.values : head.rows;
    if (known !== undefined && known <= skippable && known > 0) return known;
    add(readValues(head, await read(), chunk.codec, decoder, dictionary));
    return 0;
  };

  /** Decodes pages until so many rows are complete. */
  const fill = async (count: number): Promise<void> => {
    while (rows.length - from < count + (isFlat ? 0 : 1)) if ((await nextPage(0)) === false) break;
    if (rows.length - from < count) throw new NotReadable('a column has fewer rows than its row group');
  };

  return {
    take: async (count) => {
      await fill(count);
      from += count;
      return rows.slice(from - count, from);
    },
    skip: async (count) => {
      let left = count;
      while (left > 0 && rows.length === from) {
        const skipped = await nextPage(left);
        if (skipped === false) break;
        left -= skipped;
      }
      if (left > 0) await fill(left);
      from += left;
    },
    end: async () => {
      while (rows.length === from) if ((await nextPage(0)) === false) return;
      throw new NotReadable('a column has more rows than its row group');
    },
  };
}
