import { NotReadable } from './not-readable.ts';

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
export function lengthAt(bytes: Uint8Array, start: number): number {
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
  const signed = (): number => {
    const value = readNumber(reader);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  const inBlock = readNumber(reader);
  const parts = readNumber(reader);
  readNumber(reader);
  let length = signed();
  if (count > 0) onLength(length);
  const inPart = inBlock / parts;
  if (!Number.isSafeInteger(inPart) || inPart <= 0 || parts > bytes.byteLength) throw brokenOff();
  for (let seen = 1; seen < count;) {
    const least = signed();
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

export const brokenOff = (): NotReadable => new NotReadable('a page breaks off');
