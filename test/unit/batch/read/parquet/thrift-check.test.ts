import { expect, test } from 'vitest';
import { endOfStruct } from '../../../../../src/batch/read/parquet/thrift-check.ts';

const LIMITS = { depth: 4, values: 1000 };

test.each([
  // A field of type list, and a list of 16,383 numbers in two bytes.
  ['a list longer than the data', [0x19, 0xf5, 0xff, 0x7f, 1, 2], 'a list in its metadata is longer than the data'],
  ['text longer than the data', [0x18, 0x7f, 1], 'breaks off'],
  ['a number that never ends', [0x15, ...Array<number>(20).fill(0xff)], 'a number in its metadata is too long'],
  ['structs inside each other', Array<number>(10).fill(0x1c), 'nested too deeply'],
  ['too many values', Array<number>(2000).fill(0x11), 'too many values'],
  ['an unknown type', [0x1f], 'unknown type'],
])('%s: refused before it is parsed', (_, bytes, reason) => {
  expect(() => endOfStruct(Uint8Array.from(bytes), 0, LIMITS)).toThrow(reason);
});
