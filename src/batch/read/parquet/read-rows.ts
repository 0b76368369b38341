import { type DecodedArray, parquetRead } from 'hyparquet';
import { type Decompressor, loadCodec } from './bounded-codecs.ts';
import { type ByteSource, codecNameOf, type ParquetLayout, type RowGroup } from './layout.ts';
import { checkPages } from './check-pages.ts';
import { createMemoryBudget, type MemoryBudget } from './memory-budget.ts';
import { NotReadable } from './not-readable.ts';
import type { Column } from './schema.ts';
import { PARSERS } from './values.ts';

export interface RowBatch {
  /** Counts from 0. */
  readonly firstRow: number;
  readonly rows: number;
  readonly values: readonly (readonly unknown[])[];
}

/** Reads rows `start` up to, but not including, `end`, counted from 0. */
type RowReader = (start: number, end: number) => AsyncGenerator<RowBatch>;

/**
 * Returns a reader of some columns. It decodes a row group at a time, and keeps the last one: ranges that are read one
 * after the other are often in the same group. Reading fails with NotReadable when a group needs too much memory, and with
 * other errors for damaged data.
 */
export function createRowReader(source: ByteSource, layout: ParquetLayout, columns: readonly Column[]): RowReader {
  let kept: { readonly group: RowGroup; readonly values: readonly (readonly unknown[])[] } | undefined;
  return async function* readRows(start, end) {
    for (const [index, group] of layout.groups.entries()) {
      const firstRow = Math.max(start, group.firstRow);
      const rows = Math.min(end, group.firstRow + group.rows) - firstRow;
      if (rows <= 0) continue;
      if (kept?.group !== group) {
        kept = undefined;
        const budget = createMemoryBudget(index + 1);
        const values: (readonly unknown[])[] = [];
        for (const column of columns) values.push(await readColumn(source, layout, column, group, budget));
        kept = { group, values };
      }
      const from = firstRow - group.firstRow;
      yield { firstRow, rows, values: kept.values.map((all) => all.slice(from, from + rows)) };
    }
  };
}

/** Returns the values of all rows of a group. The leaves of a nested column are read together. */
async function readColumn(
  source: ByteSource,
  layout: ParquetLayout,
  column: Column,
  group: RowGroup,
  budget: MemoryBudget,
): Promise<readonly unknown[]> {
  const compressors: Record<string, Decompressor> = {};
  /** Reads what the package asks for: one chunk, or some that are beside each other. It decodes none that was not checked. */
  const slice = async (from: number, to = source.bytes): Promise<ArrayBuffer> => {
    budget.take(to - from, 0);
    const content = await source.read(from, to);
    for (const number of column.leaves) {
      const [leaf, chunk] = [layout.leaves[number], group.chunks[number]];
      if (leaf === undefined || chunk === undefined || chunk.start < from || chunk.end > to) continue;
      const pages = content.subarray(chunk.start - from, chunk.end - from);
      const rows = leaf.levels.repetition === 0 ? group.rows : undefined;
      const decompress = await loadCodec(chunk.codec);
      compressors[codecNameOf(number)] ??= checkPages(pages, leaf.levels, rows, decompress, budget);
    }
    return new Uint8Array(content).buffer;
  };
  const values: unknown[] = [];
  const chunks: DecodedArray[] = [];
  await parquetRead({
    file: { byteLength: source.bytes, slice },
    metadata: group.metadata,
    columns: [column.key[0] ?? ''],
    compressors,
    parsers: PARSERS,
    utf8: false,
    geoparquet: false,
    onChunk: ({ columnData }) => chunks.push(columnData),
  });
  for (const chunk of chunks) for (const value of chunk as Iterable<unknown>) values.push(value);
  if (values.length !== group.rows) throw new NotReadable('the parts of a nested column do not fit together');
  return values;
}
