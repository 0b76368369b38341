import { assembleNested } from 'hyparquet/src/assemble.js';
import { parquetSchema } from 'hyparquet/src/metadata.js';
import { getTreePath } from 'hyparquet/src/schema.js';
import type { DecodedArray, ParquetParsers, SchemaTree } from 'hyparquet';
import type { ByteSource } from './byte-source.ts';
import type { ParquetLayout, RowGroup } from './layout.ts';
import { openLeaf, type LeafReader } from './leaf-reader.ts';
import { NotReadable } from './not-readable.ts';
import type { ColumnDecoder } from './page.ts';
import type { Column } from './schema.ts';
import { PARSERS } from './values.ts';

/** Rows that were read together. */
export interface RowBatch {
  /** Counts from 0. */
  readonly firstRow: number;
  readonly rows: number;
  /** The values of each column that was asked for, by row. */
  readonly values: readonly (readonly unknown[])[];
}

const BATCH_ROWS = 1024;

/**
 * Reads rows `start` up to, but not including, `end` of some columns. Memory use depends on the pages of the file and
 * not on its size. Fails with NotReadable, and with other errors for damaged data.
 */
export async function* readRows(
  source: ByteSource,
  layout: ParquetLayout,
  columns: readonly Column[],
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<RowBatch> {
  const tree = parquetSchema({ schema: layout.schema });
  for (const group of layout.groups) {
    const groupEnd = group.firstRow + group.rows;
    if (groupEnd <= start || group.firstRow >= end) continue;
    yield* readGroup(source, layout, columns, tree, group, Math.max(start, group.firstRow), Math.min(end, groupEnd));
  }
}

async function* readGroup(
  source: ByteSource,
  layout: ParquetLayout,
  columns: readonly Column[],
  tree: SchemaTree,
  group: RowGroup,
  start: number,
  end: number,
): AsyncGenerator<RowBatch> {
  const readers = columns.map((column) => openColumn(source, layout, column, tree, group));
  for (const reader of readers) await reader.skip(start - group.firstRow);
  for (let row = start; row < end; row += BATCH_ROWS) {
    const rows = Math.min(BATCH_ROWS, end - row);
    const values: (readonly unknown[])[] = [];
    for (const reader of readers) values.push(await reader.take(rows));
    yield { firstRow: row, rows, values };
  }
  if (end === group.firstRow + group.rows) for (const reader of readers) await reader.end();
}

/** A column of the table: its leaves are read together and put together. */
function openColumn(
  source: ByteSource,
  { leaves }: ParquetLayout,
  column: Column,
  tree: SchemaTree,
  group: RowGroup,
): LeafReader {
  const parts = column.leaves.map((leaf) => {
    const chunk = group.chunks[leaf];
    const about = leaves[leaf];
    if (chunk === undefined || about === undefined) throw new Error('a leaf without a chunk');
    const key = [...about.key];
    const schemaPath = getTreePath(tree, key);
    const element = schemaPath.at(-1)?.element;
    if (element === undefined) throw new Error('a leaf without an element');
    const decoder: ColumnDecoder = {
      pathInSchema: key,
      type: about.type,
      element,
      schemaPath,
      codec: 'UNCOMPRESSED',
      parsers: PARSERS as ParquetParsers,
      utf8: false,
    };
    return { name: key.join('.'), reader: openLeaf(source, chunk, decoder) };
  });
  const [only] = parts;
  if (column.children.length === 0 && only !== undefined) return only.reader;
  const top = tree.children.find(({ element }) => element.name === column.key[0]);
  if (top === undefined) throw new Error('a column without a schema');
  return {
    take: async (rows) => {
      const values = new Map<string, DecodedArray>();
      for (const { name, reader } of parts) values.set(name, (await reader.take(rows)) as unknown[]);
      assembleNested(values, top, PARSERS as ParquetParsers);
      const assembled = values.get(column.key.join('.'));
      if (assembled?.length !== rows) throw new NotReadable('the parts of a nested column do not fit together');
      return assembled as unknown[];
    },
    skip: async (rows) => {
      for (const { reader } of parts) await reader.skip(rows);
    },
    end: async () => {
      for (const { reader } of parts) await reader.end();
    },
  };
}
