import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { NotReadable } from './not-readable.ts';

/**
 * Checks on the bytes of a page before the package decodes them: it trusts counts and lengths, and would allocate what
 * they ask for.
 */

/** Bytes of all values of a page together, where each may repeat the beginning of the one before. */
const MAX_REPEATED_BYTES = 256 * 1024 * 1024;

/**
 * Checks runs of numbers of `width` bits (the encoding RLE): that they are inside the bytes and do not have more than
 * `count` numbers. Fails with NotReadable.
 */
export function checkRuns(bytes: Uint8Array, start: number, width: number, count: number): void {
  if (width > 32) throw new NotReadable('a page has numbers that are too wide');
  const limit = bytes.byteLength;
  let offset = start;
  for (let seen = 0; seen < count;) {
    let head = 0;
    let shift = 0;
    for (;;) {
      const part = bytes[offset++];
      if (part === undefined || offset > limit || shift > 28) throw brokenOff();
      head += (part & 0x7f) * 2 ** shift;
      if (part < 0x80) break;
      shift += 7;
    }
    const isPacked = head % 2 === 1;
    const run = Math.floor(head / 2);
    if (isPacked) {
      // Some writers leave out the end of the last group.
      if (run * 8 >= count - seen + 8 * 64) throw new NotReadable('a page has more numbers than its header says');
      offset += Math.min(run * width, limit - offset);
      seen += run * 8;
    } else {
      if (run > count - seen) throw new NotReadable('a page has more numbers than its header says');
      offset += Math.ceil(width / 8);
      seen += run;
    }
    if (offset > limit) throw brokenOff();
  }
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
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
  const lengths = new Int32Array(count);
  let total = 0;
  for (let part = 0; part < 2; part++) {
    deltaBinaryUnpack(reader, count, lengths);
    for (const length of lengths) total += length < 0 ? Number.POSITIVE_INFINITY : length;
  }
  if (total > MAX_REPEATED_BYTES) throw new NotReadable('a page has more bytes than are read at once');
}

export const brokenOff = (): NotReadable => new NotReadable('a page breaks off');
