import { parquetHeader } from 'hyparquet/src/column.js';
import { convert } from 'hyparquet/src/convert.js';
import { deltaBinaryUnpack, deltaByteArray, deltaLengthByteArray } from 'hyparquet/src/delta.js';
import { byteStreamSplit, readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import type { DecodedArray, Encoding, PageHeader, SchemaTree } from 'hyparquet';
import { formatBytes } from '../../../core/units.ts';
import { decompressPage } from './bounded-codecs.ts';
import { NotReadable } from './not-readable.ts';
import { brokenOff, checkRepeatedBeginnings, checkRuns, lengthAt } from './page-checks.ts';
import { endOfStruct, ThriftError } from './thrift-check.ts';

/** What the package needs to know of a column to decode its values. */
export type ColumnDecoder = Parameters<typeof convert>[1];

/** Limits of one page: it is decoded in memory as a whole. */
const MAX_PAGE_BYTES = 256 * 1024 * 1024;
const MAX_PAGE_VALUES = 16 * 1024 * 1024;
const MAX_HEADER = { depth: 8, values: 1000 };

/** The header of a page, checked. */
export interface PageHead {
  readonly header: PageHeader;
  /** Bytes of the header itself. */
  readonly headerBytes: number;
  /** Bytes of the page, compressed. */
  readonly pageBytes: number;
  /** Number of values of a page of data, nulls included; 0 for other pages. */
  readonly values: number;
  /** Number of rows that begin in the page, where the header says it. */
  readonly rows: number | undefined;
}

/** Values of a page without nulls, and the levels that say where nulls and nested parts are. */
export interface PageValues {
  readonly values: DecodedArray;
  readonly definitionLevels: number[];
  readonly repetitionLevels: number[];
}

/**
 * Reads the header at the beginning of the bytes; undefined when the bytes end inside it. Fails with NotReadable when it
 * exceeds a limit.
 */
export function readPageHead(bytes: Uint8Array): PageHead | undefined {
  let headerBytes: number;
  try {
    headerBytes = endOfStruct(bytes, 0, MAX_HEADER);
  } catch (error) {
    if (error instanceof ThriftError) return undefined;
    throw error;
  }
  const header = parquetHeader({ view: new DataView(bytes.buffer, bytes.byteOffset, headerBytes), offset: 0 });
  const { compressed_page_size: pageBytes, uncompressed_page_size: size } = header;
  if (!(pageBytes >= 0 && size >= 0)) throw brokenOff();
  if (pageBytes > MAX_PAGE_BYTES || size > MAX_PAGE_BYTES)
    throw new NotReadable(
      `it has a page of ${formatBytes(Math.max(size, pageBytes))}, and at most ${formatBytes(MAX_PAGE_BYTES)} are read at once`,
      'Write it with smaller pages.',
    );
  const v2 = header.data_page_header_v2;
  const isV2 = header.type === 'DATA_PAGE_V2';
  const values = (isV2 ? v2?.num_values : header.type === 'DATA_PAGE' ? header.data_page_header?.num_values : 0) ?? -1;
  const inDictionary = header.dictionary_page_header?.num_values ?? 0;
  if (!(values >= 0 && inDictionary >= 0)) throw brokenOff();
  if (Math.max(values, inDictionary) > MAX_PAGE_VALUES)
    throw new NotReadable(
      `it has a page of ${String(Math.max(values, inDictionary))} values, and at most ${String(MAX_PAGE_VALUES)} are read at once`,
      'Write it with smaller pages.',
    );
  return { header, headerBytes, pageBytes, values, rows: isV2 ? v2?.num_rows : undefined };
}

/** Decodes a page of a dictionary. `bytes` is the page without its header. */
export function readDictionary(
  { header }: PageHead,
  bytes: Uint8Array,
  codec: string,
  decoder: ColumnDecoder,
): DecodedArray {
  const page = decompressPage(bytes, codec, header.uncompressed_page_size);
  const count = header.dictionary_page_header?.num_values ?? 0;
  const reader = { view: new DataView(page.buffer, page.byteOffset, page.byteLength), offset: 0 };
  return convert(readPlain(reader, decoder.type, count, decoder.element.type_length), decoder);
}

/** Decodes a page of data. `bytes` is the page without its header. Fails with NotReadable and for damaged data. */
export function readValues(
  head: PageHead,
  bytes: Uint8Array,
  codec: string,
  decoder: ColumnDecoder,
  dictionary: DecodedArray | undefined,
): PageValues {
  const { data, repetition, definition, encoding } = split(head, bytes, codec, decoder.schemaPath);
  const repetitionLevels = readLevels(repetition, getMaxRepetitionLevel(decoder.schemaPath), head.values);
  const maxDefinition = getMaxDefinitionLevel(decoder.schemaPath);
  const definitionLevels = readLevels(definition, maxDefinition, head.values);
  let count = head.values;
  if (maxDefinition > 0) for (const level of definitionLevels) if (level !== maxDefinition) count -= 1;
  const isDictionary = encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY';
  const values = isDictionary
    ? lookUp(readIndexes(data, count), dictionary)
    : convert(decode(data, encoding, count, decoder), decoder);
  // Without nulls the levels are not needed, and most columns have none.
  const hasNulls = count < head.values;
  return {
    values,
    definitionLevels: hasNulls || repetitionLevels.length > 0 ? definitionLevels : [],
    repetitionLevels,
  };
}

/** The parts of a page of data, decompressed. */
interface PageParts {
  readonly repetition: Uint8Array;
  readonly definition: Uint8Array;
  readonly data: Uint8Array;
  readonly encoding: Encoding;
}

function split({ header }: PageHead, bytes: Uint8Array, codec: string, schemaPath: SchemaTree[]): PageParts {
  const size = header.uncompressed_page_size;
  const v2 = header.data_page_header_v2;
  if (header.type === 'DATA_PAGE_V2' && v2 !== undefined) {
    // Levels come first, and only the values after them are compressed.
    const first = v2.repetition_levels_byte_length;
    const levels = first + v2.definition_levels_byte_length;
    if (!(first >= 0 && levels >= first && levels <= bytes.byteLength && levels <= size)) throw brokenOff();
    const rest = bytes.subarray(levels);
    const isCompressed = v2.is_compressed !== false && rest.byteLength > 0;
    return {
      repetition: bytes.subarray(0, first),
      definition: bytes.subarray(first, levels),
      data: isCompressed ? decompressPage(rest, codec, size - levels) : new Uint8Array(rest),
      encoding: v2.encoding,
    };
  }
  const page = decompressPage(bytes, codec, size);
  let offset = 0;
  const levels = (most: number): Uint8Array => {
    if (most === 0) return NOTHING;
    const start = offset + 4;
    offset = start + lengthAt(page, offset);
    return page.subarray(start, offset);
  };
  const repetition = levels(getMaxRepetitionLevel(schemaPath));
  const definition = levels(getMaxDefinitionLevel(schemaPath));
  const encoding = header.data_page_header?.encoding ?? 'PLAIN';
  return { repetition, definition, data: new Uint8Array(page.subarray(offset)), encoding };
}

const NOTHING = new Uint8Array(0);

function readLevels(bytes: Uint8Array, most: number, count: number): number[] {
  if (most === 0) return [];
  const levels = readNumbers(bytes, 0, 32 - Math.clz32(most), count);
  for (const level of levels)
    if (level > most) throw new NotReadable('a page has a level that its column does not have');
  return levels;
}

/** Reads the places of values in the dictionary. */
function readIndexes(data: Uint8Array, count: number): ArrayLike<number> {
  const width = data[0] ?? 0;
  return width === 0 ? new Uint8Array(count) : readNumbers(data, 1, width, count);
}

function readNumbers(bytes: Uint8Array, start: number, width: number, count: number): number[] {
  checkRuns(bytes, start, width, count);
  const numbers = new Array<number>(count);
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: start };
  readRleBitPackedHybrid(reader, width, numbers, bytes.byteLength - start);
  return numbers;
}

function lookUp(indexes: ArrayLike<number>, dictionary: DecodedArray | undefined): unknown[] {
  const values = new Array<unknown>(indexes.length);
  for (let at = 0; at < values.length; at++) {
    const index = indexes[at] ?? -1;
    if (dictionary === undefined || !(index >= 0 && index < dictionary.length))
      throw new NotReadable('a page has a value that is not in its dictionary');
    values[at] = dictionary[index] as unknown;
  }
  return values;
}

function decode(data: Uint8Array, encoding: Encoding, count: number, { type, element }: ColumnDecoder): DecodedArray {
  if (count === 0) return [];
  const reader = { view: new DataView(data.buffer, data.byteOffset, data.byteLength), offset: 0 };
  const { type_length: length } = element;
  switch (encoding) {
    case 'PLAIN':
      return readPlain(reader, type, count, length);
    case 'RLE':
      if (type !== 'BOOLEAN') break;
      return readNumbers(data.subarray(0, 4 + lengthAt(data, 0)), 4, 1, count).map((bit) => bit !== 0);
    case 'BYTE_STREAM_SPLIT':
      if (data.byteLength % count !== 0) throw brokenOff();
      return byteStreamSplit(reader, count, type, length);
    case 'DELTA_BINARY_PACKED': {
      const numbers = type === 'INT32' ? new Int32Array(count) : new BigInt64Array(count);
      deltaBinaryUnpack(reader, count, numbers);
      return numbers;
    }
    case 'DELTA_LENGTH_BYTE_ARRAY': {
      const texts = new Array<Uint8Array>(count);
      deltaLengthByteArray(reader, count, texts);
      return texts;
    }
    case 'DELTA_BYTE_ARRAY': {
      checkRepeatedBeginnings(data, count);
      const texts = new Array<Uint8Array>(count);
      deltaByteArray(reader, count, texts);
      return texts;
    }
    default:
      break;
  }
  throw new NotReadable(`it has values in the encoding ${encoding}, which is not supported`);
}
