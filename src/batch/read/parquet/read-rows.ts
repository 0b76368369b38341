import { type ColumnChunk, type DecodedArray, type FileMetaData, parquetRead } from 'hyparquet';
import { type Decompressor, loadCodec } from './bounded-codecs.ts';
import type { ByteSource, ParquetLayout, RowGroup } from './layout.ts';
import { checkPages } from './check-pages.ts';
import { createMemoryBudget, type MemoryBudget, NotReadable } from './not-readable.ts';
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
      let decoded = kept?.group === group ? kept.values : undefined;
      if (decoded === undefined) {
        kept = undefined;
        const budget = createMemoryBudget(index + 1);
        const values: (readonly unknown[])[] = [];
        for (const column of columns) values.push(await readColumn(source, layout, column, group, budget));
        kept = { group, values };
        decoded = values;
      }
      const from = firstRow - group.firstRow;
      yield { firstRow, rows, values: decoded.map((all) => all.slice(from, from + rows)) };
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
  const columns: ColumnChunk[] = [];
  const decompressors: Record<string, Decompressor> = {};
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (const number of column.leaves) {
    const [leaf, chunk] = [layout.leaves[number], group.chunks[number]];
    if (leaf === undefined || chunk === undefined) throw new Error('a leaf without a chunk');
    budget.take(chunk.end - chunk.start, 0);
    const content = await source.read(chunk.start, chunk.end);
    const rows = leaf.levels.repetition === 0 ? group.rows : undefined;
    // A name for each leaf: with the name of a codec of the package, the pages would not come here.
    const codec = `leaf ${String(number)}`;
    decompressors[codec] = checkPages(content, leaf.levels, rows, await loadCodec(chunk.codec), budget);
    columns.push(chunkFor(leaf.type, [...leaf.key], codec, bytes, content.byteLength));
    parts.push(content);
    bytes += content.byteLength;
  }
  const file = Buffer.concat(parts);
  const metadata: FileMetaData = {
    version: 1,
    schema: layout.schema,
    num_rows: BigInt(group.rows),
    row_groups: [{ columns, total_byte_size: BigInt(bytes), num_rows: BigInt(group.rows) }],
    metadata_length: 0,
  };
  const values: unknown[] = [];
  const chunks: DecodedArray[] = [];
  await parquetRead({
    file: {
      byteLength: bytes,
      slice: (from, to) => file.buffer.slice(file.byteOffset + from, file.byteOffset + (to ?? bytes)),
    },
    metadata,
    columns: [column.key[0] ?? ''],
    compressors: decompressors,
    parsers: PARSERS,
    utf8: false,
    geoparquet: false,
    onChunk: ({ columnData }) => chunks.push(columnData),
  });
  for (const chunk of chunks) for (const value of chunk as Iterable<unknown>) values.push(value);
  if (values.length !== group.rows) throw new NotReadable('the parts of a nested column do not fit together');
  return values;
}

/** Describes a chunk whose pages begin at `start` of the bytes that the package gets. */
const chunkFor = (
  type: NonNullable<ColumnChunk['meta_data']>['type'],
  path: string[],
  codec: string,
  start: number,
  bytes: number,
): ColumnChunk => ({
  file_offset: BigInt(start),
  meta_data: {
    type,
    encodings: [],
    path_in_schema: path,
    codec: codec as NonNullable<ColumnChunk['meta_data']>['codec'],
    num_values: 0n,
    total_uncompressed_size: BigInt(bytes),
    total_compressed_size: BigInt(bytes),
    data_page_offset: BigInt(start),
  },
});
