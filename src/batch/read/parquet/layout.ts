import { type ColumnMetaData, type FileMetaData, parquetMetadata } from 'hyparquet';
import { formatBytes } from '../../../core/units.ts';
import { isKnownCodec } from './bounded-codecs.ts';
import { NotReadable } from './not-readable.ts';
import { buildColumns, type Column, type Leaf } from './schema.ts';
import { endOfStruct } from './thrift-check.ts';
import type { Bytes } from '../../../core/unit-types.ts';

/** Where the values of one column are in one row group. Offsets are those of the file. */
interface Chunk {
  readonly start: Bytes;
  readonly end: Bytes;
  readonly codec: string;
}

export interface RowGroup {
  readonly firstRow: number;
  readonly rows: number;
  /** By the number of the leaf. */
  readonly chunks: readonly Chunk[];
  /** What the package reads: a file that has these rows alone, and the schema of `buildColumns`. */
  readonly metadata: FileMetaData;
}

/** What is where in a Parquet file. */
export interface ParquetLayout {
  readonly rows: number;
  readonly columns: readonly Column[];
  readonly leaves: readonly Leaf[];
  readonly groups: readonly RowGroup[];
}

const MAGIC = Buffer.from('PAR1');
const TAIL_BYTES = 8;
/** Limits of the metadata: it is decoded in memory as a whole. */
const MAX_METADATA_BYTES = 64 * 1024 * 1024;
const MAX_METADATA = { depth: 16, values: 8_000_000 };
/** More rows than any batch has. */
const MAX_ROWS = 2 ** 31;

/** Reads and checks the metadata of a Parquet file. Fails with NotReadable, and with other errors for damaged data. */
export async function readLayout(source: ByteSource): Promise<ParquetLayout> {
  const { bytes } = source;
  if (bytes < 2 * MAGIC.byteLength + TAIL_BYTES - MAGIC.byteLength)
    throw new NotReadable(bytes === 0 ? 'it is empty' : 'it is not a Parquet file');
  const head = await source.read(0, MAGIC.byteLength);
  const tail = Buffer.from(await source.read(bytes - TAIL_BYTES, bytes));
  if (MAGIC.compare(head) !== 0)
    throw new NotReadable(
      tail.subarray(4).toString('latin1') === 'PARE' ? 'it is encrypted' : 'it is not a Parquet file',
    );
  if (MAGIC.compare(tail.subarray(4)) !== 0)
    throw new NotReadable('it is incomplete: its end is missing', 'Copy or write it again.');
  const length = tail.readUInt32LE(0);
  if (length > bytes - MAGIC.byteLength - TAIL_BYTES) throw new NotReadable('its metadata is longer than the file');
  if (length > MAX_METADATA_BYTES)
    throw new NotReadable(
      `its metadata has ${formatBytes(length)}, and at most ${formatBytes(MAX_METADATA_BYTES)} are read`,
      'Split it into several files, or write it with larger row groups.',
    );
  const footer = await source.read(bytes - TAIL_BYTES - length, bytes);
  if (endOfStruct(footer.subarray(0, length), 0, MAX_METADATA) > length)
    throw new NotReadable('its metadata breaks off');
  return layoutOf(parquetMetadata(footer, { geoparquet: false, parsers: NO_STATISTICS }), bytes);
}

/** The values of statistics are not used, and a wrong one must not prevent the reading. */
const NO_STATISTICS = Object.fromEntries(
  ['stringFromBytes', 'dateFromDays', 'timestampFromMilliseconds', 'timestampFromMicroseconds'].map((name) => [
    name,
    () => undefined,
  ]),
);

/** A codec for each leaf: with the name of one that the package knows, the pages would not come to `checkPages`. */
export const codecNameOf = (leaf: number): ColumnMetaData['codec'] => `leaf ${leaf}` as ColumnMetaData['codec'];

function layoutOf(metadata: FileMetaData, fileBytes: number): ParquetLayout {
  const { columns, leaves, schema } = buildColumns(metadata.schema);
  let firstRow = 0;
  const groups = metadata.row_groups.map((group, index): RowGroup => {
    const rows = Number(group.num_rows);
    const fail = (reason: string): NotReadable => new NotReadable(`row group ${index + 1} ${reason}`);
    if (!(rows >= 0 && rows <= MAX_ROWS)) throw fail(`has an impossible number of rows, ${group.num_rows}`);
    if (group.columns.length !== leaves.length) throw fail('does not have the columns of the schema');
    const chunks: Chunk[] = [];
    const columns = group.columns.map((chunk, leaf) => {
      const { path = [], key = [], type } = leaves[leaf] ?? {};
      if (chunk.file_path !== undefined && chunk.file_path !== '') throw fail('has its data in another file');
      if (chunk.meta_data === undefined || chunk.crypto_metadata !== undefined) throw fail('is encrypted');
      const { dictionary_page_offset: first, ...about } = chunk.meta_data;
      if (about.type !== type || about.path_in_schema.join('\0') !== path.join('\0'))
        throw fail('does not have the columns of the schema');
      const { codec } = about;
      if (!isKnownCodec(codec)) throw fail(`is compressed with ${codec}, which is not supported`);
      const dictionary = Number(first ?? 0n);
      const data = Number(about.data_page_offset);
      const start = dictionary > 0 && dictionary < data ? dictionary : data;
      const end = start + Number(about.total_compressed_size);
      if (!(start >= MAGIC.byteLength && end >= start && end <= fileBytes)) throw fail('is not inside the file');
      chunks.push({ start, end, codec });
      const place = { data_page_offset: BigInt(start), path_in_schema: [...key], codec: codecNameOf(leaf) };
      return { file_offset: 0n, meta_data: { ...about, ...place } };
    });
    const read = { version: 1, schema, num_rows: group.num_rows, metadata_length: 0 };
    const found = { firstRow, rows, chunks, metadata: { ...read, row_groups: [{ ...group, columns }] } };
    firstRow += rows;
    return found;
  });
  if (firstRow !== Number(metadata.num_rows)) throw new NotReadable('its number of rows is not that of its row groups');
  if (firstRow > MAX_ROWS) throw new NotReadable(`it has ${firstRow} rows, and at most 2^31 are read`);
  return { rows: firstRow, columns, leaves, groups };
}

/** A file or an object of which any part can be read. */
export interface ByteSource {
  /** For messages. */
  readonly name: string;
  readonly bytes: number;
  /**
   * Reads the bytes from `start` up to, but not including, `end`, all of them. Fails when the content is no longer that
   * which was checked before.
   */
  read(start: Bytes, end: Bytes): Promise<Uint8Array>;
}
