import type { Decompressor } from './bounded-codecs.ts';
import type { MemoryBudget } from './memory-budget.ts';
import { NotReadable } from './not-readable.ts';
import { endOfStruct, signedOf, ThriftError } from './thrift-check.ts';
import type { Bytes } from '../../../core/unit-types.ts';

/** How deep the values of a column may be nested, from its schema. */
export interface Levels {
  /** Lists inside each other. */
  readonly repetition: number;
  /** Parts of the path that may be missing. */
  readonly definition: number;
}

/** The header of a page, as far as it decides what a decoder allocates. */
interface Page {
  readonly type: number;
  /** Without the header: in memory, and in the file. */
  readonly size: Bytes;
  readonly compressedSize: Bytes;
  readonly values: number;
  readonly nulls: number;
  readonly encoding: number;
  /** Of the levels in front of the values, in pages of version 2. */
  readonly repetitionBytes: Bytes;
  readonly definitionBytes: Bytes;
  readonly isCompressed: boolean;
}

// Numbers of the format: types of pages and encodings of values.
const [DATA, DICTIONARY, DATA_V2] = [0, 2, 3] as const;
const [RLE, DELTA_BYTE_ARRAY] = [3, 7] as const;
const DICTIONARY_ENCODINGS: readonly number[] = [2, 8];

const MAX_HEADER = { depth: 8, values: 1000 };

/**
 * Checks the pages of a column chunk before the package decodes them: it trusts counts and lengths, and would allocate
 * what they ask for. What is compressed is checked by the function that is returned, which decompresses the next page; the
 * package calls it for one page after the other. `rows` is the number of rows where each row has one value. Fails with
 * NotReadable.
 */
export function checkPages(
  chunk: Uint8Array,
  levels: Levels,
  rows: number | undefined,
  decompress: Decompressor,
  budget: MemoryBudget,
): Decompressor {
  const compressed: Page[] = [];
  let dictionaryValues: number | undefined;
  let values = 0;
  for (let offset = 0; offset < chunk.byteLength;) {
    const { page, end } = readHeader(chunk, offset);
    offset = end + page.compressedSize;
    if (offset > chunk.byteLength) throw brokenOff();
    budget.take(page.size, page.values);
    if (page.type === DICTIONARY) dictionaryValues = page.values;
    else values += page.values;
    if (DICTIONARY_ENCODINGS.includes(page.encoding) && page.type !== DICTIONARY && dictionaryValues === undefined)
      throw notInDictionary();
    if (page.type === DATA_V2) checkVersion2(page, chunk.subarray(end, offset), levels, dictionaryValues ?? 0);
    if (page.isCompressed) compressed.push(page);
  }
  if (rows !== undefined && values !== rows) throw new NotReadable(`a column has ${values} values in ${rows} rows`);
  let next = 0;
  return (bytes, size) => {
    const page = compressed[next++];
    if (page === undefined || size > page.size) throw brokenOff();
    const data = decompress(bytes, size);
    if (page.type === DATA) checkVersion1(page, data, levels, dictionaryValues ?? 0);
    if (page.type === DATA_V2) checkValues(page, data, page.values - page.nulls, dictionaryValues ?? 0);
    return data;
  };
}

/** Fails with NotReadable when it breaks off or has an impossible number. */
function readHeader(bytes: Uint8Array, start: number): { readonly page: Page; readonly end: number } {
  const fields = new Map<string, number>();
  let end: number;
  try {
    end = endOfStruct(bytes, start, MAX_HEADER, (path, value) => {
      if (path.length <= 2) fields.set(path.join('.'), value);
    });
  } catch (error) {
    if (error instanceof ThriftError) throw new NotReadable('a page has no valid header');
    throw error;
  }
  const field = (path: string, fallback = -1): number => fields.get(path) ?? fallback;
  const type = field('1');
  const head = { [DATA]: '5', [DICTIONARY]: '7', [DATA_V2]: '8' }[type];
  if (head === undefined) throw new NotReadable('it has a page of an unknown type');
  const isV2 = type === DATA_V2;
  const page: Page = {
    type,
    size: field('2'),
    compressedSize: field('3'),
    values: field(`${head}.1`),
    nulls: isV2 ? field('8.2') : 0,
    encoding: field(isV2 ? '8.4' : `${head}.2`, 0),
    repetitionBytes: isV2 ? field('8.6') : 0,
    definitionBytes: isV2 ? field('8.5') : 0,
    isCompressed: !isV2 || field('8.7', 1) === 1,
  };
  if (Object.values(page).some((value) => typeof value === 'number' && value < 0)) throw brokenOff();
  return { page, end };
}

/** Checks a page of data of version 1, decompressed: levels and values are compressed together. */
function checkVersion1(page: Page, data: Uint8Array, levels: Levels, dictionaryValues: number): void {
  let offset = 0;
  let present = page.values;
  for (const most of [levels.repetition, levels.definition]) {
    if (most === 0) continue;
    const length = lengthAt(data, offset);
    present = checkLevels(data.subarray(offset + 4, offset + 4 + length), most, page.values);
    offset += 4 + length;
  }
  checkValues(page, data.subarray(offset), levels.definition === 0 ? page.values : present, dictionaryValues);
}

/** Checks a page of data of version 2: its levels are never compressed. */
function checkVersion2(page: Page, data: Uint8Array, levels: Levels, dictionaryValues: number): void {
  const { repetitionBytes, definitionBytes, values, nulls } = page;
  const start = repetitionBytes + definitionBytes;
  if (start > data.byteLength || start > page.size || nulls > values) throw brokenOff();
  if (levels.repetition > 0) checkLevels(data.subarray(0, repetitionBytes), levels.repetition, values);
  const definition = data.subarray(repetitionBytes, start);
  const present = levels.definition === 0 ? values : checkLevels(definition, levels.definition, values);
  if (present !== values - nulls) throw new NotReadable('a page does not have the nulls that its header says');
  if (page.isCompressed) return;
  if (data.byteLength !== page.size) throw brokenOff();
  checkValues(page, data.subarray(start), present, dictionaryValues);
}

/** Returns how many of the levels are the highest one, which are the values that are there. */
const checkLevels = (bytes: Uint8Array, most: number, count: number): number =>
  checkEncodedNumbers(bytes, 0, 32 - Math.clz32(most), count, most, 'a page has a level that its column does not have');

function checkValues({ encoding, type }: Page, data: Uint8Array, count: number, dictionaryValues: number): void {
  if (DICTIONARY_ENCODINGS.includes(encoding)) {
    const width = data[0] ?? 0;
    const most = dictionaryValues - 1;
    if (count > 0 && most < 0) throw notInDictionary();
    if (width > 0) checkEncodedNumbers(data, 1, width, count, most, NOT_IN_DICTIONARY);
  } else if (encoding === RLE) {
    const runs = data.subarray(0, 4 + lengthAt(data, 0));
    checkEncodedNumbers(runs, 4, 1, count, 1, 'a page has a value that is no boolean');
  } else if (encoding === DELTA_BYTE_ARRAY && type !== DICTIONARY) checkRepeatedBeginnings(data, count);
}

const NOT_IN_DICTIONARY = 'a page has a value that is not in its dictionary';
const notInDictionary = (): NotReadable => new NotReadable(NOT_IN_DICTIONARY);

/** Bytes of all values of a page together, where each may repeat the beginning of the one before. */
const MAX_REPEATED_BYTES = 256 * 1024 * 1024;

/**
 * Checks numbers of `width` bits in runs (the encoding RLE): that the runs are inside the bytes, have not more than
 * `count` numbers, and no number above `most`. Returns how many of the first `count` are `most`. Fails with NotReadable;
 * `tooHigh` is the reason for a number above `most`.
 */
export function checkEncodedNumbers(
  bytes: Uint8Array,
  start: number,
  width: number,
  count: number,
  most: number,
  tooHigh: string,
): number {
  if (width > 32) throw new NotReadable('a page has numbers that are too wide');
  const reader = { bytes, offset: start };
  let highest = 0;
  const add = (value: number, times: number): void => {
    if (value > most) throw new NotReadable(tooHigh);
    if (value === most) highest += times;
  };
  for (let seen = 0; seen < count;) {
    const head = readNumber(reader);
    const run = Math.floor(head / 2);
    if (head % 2 === 1) {
      // Some writers leave out the end of the last group.
      if (run * 8 >= count - seen + 8 * 64) throw tooMany();
      const numbers = Math.min(run * 8, count - seen);
      for (let at = 0; at < numbers; at++) add(bitsAt(bytes, reader.offset * 8 + at * width, width), 1);
      reader.offset += Math.min(run * width, bytes.byteLength - reader.offset);
      seen += run * 8;
    } else {
      if (run > count - seen) throw tooMany();
      add(bitsAt(bytes, reader.offset * 8, Math.ceil(width / 8) * 8), run);
      reader.offset += Math.ceil(width / 8);
      seen += run;
    }
    if (reader.offset > bytes.byteLength) throw brokenOff();
  }
  return highest;
}

/** Reads bits that begin at a bit of the bytes, the lowest first. Bytes after the end are 0. */
function bitsAt(bytes: Uint8Array, start: number, width: number): number {
  let value = 0;
  for (let read = 0; read < width;) {
    const bit = start + read;
    const take = Math.min(8 - (bit % 8), width - read);
    value += (((bytes[Math.floor(bit / 8)] ?? 0) >> (bit % 8)) & ((1 << take) - 1)) * 2 ** read;
    read += take;
  }
  return value;
}

/** Reads a number of variable length. */
function readNumber(reader: { readonly bytes: Uint8Array; offset: number }): number {
  let value = 0;
  for (let shift = 0; shift <= 28; shift += 7) {
    const part = reader.bytes[reader.offset++];
    if (part === undefined) break;
    value += (part & 0x7f) * 2 ** shift;
    if (part < 0x80) return value;
  }
  throw brokenOff();
}

/** Returns the length that is stored in four bytes before runs. Fails with NotReadable when it exceeds the bytes. */
function lengthAt(bytes: Uint8Array, start: number): number {
  if (start + 4 > bytes.byteLength) throw brokenOff();
  const length = new DataView(bytes.buffer, bytes.byteOffset + start, 4).getUint32(0, true);
  if (length > bytes.byteLength - start - 4) throw brokenOff();
  return length;
}

/**
 * Checks values that repeat the beginning of the one before (the encoding DELTA_BYTE_ARRAY): few bytes can stand for
 * very many. Fails with NotReadable.
 */
export function checkRepeatedBeginnings(bytes: Uint8Array, count: number): void {
  const reader = { bytes, offset: 0 };
  let total = 0;
  for (let part = 0; part < 2; part++)
    readLengths(reader, count, (length) => {
      total += length;
      if (length < 0 || total > MAX_REPEATED_BYTES)
        throw new NotReadable('a page has more bytes than are read at once');
    });
}

/** Reads lengths that are stored as differences in blocks (the encoding DELTA_BINARY_PACKED). */
function readLengths(
  reader: { readonly bytes: Uint8Array; offset: number },
  count: number,
  onLength: (length: number) => void,
): void {
  const { bytes } = reader;
  const inBlock = readNumber(reader);
  const parts = readNumber(reader);
  readNumber(reader);
  let length = signedOf(readNumber(reader));
  if (count > 0) onLength(length);
  const inPart = inBlock / parts;
  if (!Number.isSafeInteger(inPart) || inPart <= 0 || parts > bytes.byteLength) throw brokenOff();
  for (let seen = 1; seen < count;) {
    const least = signedOf(readNumber(reader));
    const widths = bytes.subarray(reader.offset, reader.offset + parts);
    reader.offset += parts;
    for (let part = 0; part < parts && seen < count; part++) {
      const width = widths[part] ?? 0;
      for (let at = 0; at < inPart && seen < count; at++, seen++) {
        length = (length + least + bitsAt(bytes, reader.offset * 8 + at * width, width)) | 0;
        onLength(length);
      }
      reader.offset += (inPart * width) / 8;
    }
    if (reader.offset > bytes.byteLength) throw brokenOff();
  }
}

const tooMany = (): NotReadable => new NotReadable('a page has more numbers than its header says');

const brokenOff = (): NotReadable => new NotReadable('a page breaks off');
