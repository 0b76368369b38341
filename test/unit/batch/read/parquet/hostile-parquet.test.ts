import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
import { describe, expect, test } from 'vitest';
import { loadCodec } from '../../../../../src/batch/read/parquet/bounded-codecs.ts';
import { openParquet } from '../../../../../src/batch/read/parquet/parquet-items.ts';
import { Failure } from '../../../../../src/core/failure.ts';
import { parquetBytes } from '../../../../support/parquet/parquet-bytes.ts';

const FILES = join(import.meta.dirname, '../../../../support/parquet');
const fileOf = (name: string): Uint8Array => new Uint8Array(readFileSync(join(FILES, `${name}.parquet`)));

/** Reads all items; returns their number, or the failure. Any other error is a bug, and is thrown. */
async function readAll(bytes: Uint8Array): Promise<number | Failure> {
  const source = {
    name: 'rows.parquet',
    bytes: bytes.byteLength,
    read: (start: number, end: number): Promise<Uint8Array> => {
      if (!(start >= 0 && end >= start && end <= bytes.byteLength)) throw new Error('a read outside the file');
      return Promise.resolve(bytes.subarray(start, end));
    },
  };
  let items = 0;
  try {
    const input = await openParquet(source, { path: 'rows.parquet', format: 'parquet', maxBytes: 10_000_000 });
    for await (const group of input.items(0, Number.POSITIVE_INFINITY)) for (const _ of group) items += 1;
    return items;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

const changed = (bytes: Uint8Array, at: number, value: number): Uint8Array => {
  const copy = new Uint8Array(bytes);
  copy[at] = value;
  return copy;
};

/** A file of one column of 1000 numbers that is stored as one run, with this number of values in the page header. */
const oneRun = (): Uint8Array =>
  parquetBytes({
    columnData: [{ name: 'n', data: new Array<number>(1000).fill(7), type: 'INT32' }],
    codec: 'UNCOMPRESSED',
  });

describe('a damaged or hostile Parquet file', () => {
  test.each([
    ['nothing', new Uint8Array(0), 'it is empty'],
    ['text', Buffer.from('{"a":1}\n{"a":2}\n{"a":3}\n'), 'it is not a Parquet file'],
    ['an encrypted file', Buffer.from('PARE00000000000000PARE'), 'it is encrypted'],
    ['only the magic number', Buffer.from('PAR1PAR1'), 'it is not a Parquet file'],
    ['metadata longer than the file', Buffer.from('PAR1\xff\xff\xff\x7fPAR1', 'latin1'), 'longer than the file'],
  ])('of %s is refused with its reason', async (_, bytes, reason) => {
    const failure = await readAll(new Uint8Array(bytes));
    expect(failure).toMatchObject({ exit: 2, message: expect.stringContaining(reason) as string });
  });

  test('that is cut anywhere is refused', async () => {
    const bytes = fileOf('all-types');
    for (let length = 0; length < bytes.byteLength; length += 97)
      expect(await readAll(bytes.subarray(0, length))).toMatchObject({ exit: 2 });
  });

  test('is either read or refused with usage, whatever bytes of it changed', async () => {
    const files = ['all-types', 'none', 'snappy', 'gzip', 'brotli', 'zstd', 'lz4'].map(fileOf);
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      value: fc.integer({ min: 0, max: 255 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        fc.array(change, { minLength: 1, maxLength: 8 }),
        async (file, changes) => {
          let bytes = file;
          for (const { at, value } of changes) bytes = changed(bytes, Math.floor(at * file.byteLength), value);
          const end = await readAll(bytes);
          if (end instanceof Failure)
            expect([end.exit, end.message]).toEqual([2, expect.stringMatching(/rows\.parquet/)]);
          else expect(end).toBeLessThanOrEqual(3);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('never has more items than its pages have values', async () => {
    const bytes = oneRun();
    expect(await readAll(bytes)).toBe(1000);
    // The number 1000 as a variable-length number with a sign: in page headers, column and row group.
    const thousand = Buffer.from([0xd0, 0x0f]);
    let refused = 0;
    for (let at = bytes.indexOf(0xd0); at >= 0; at = bytes.indexOf(0xd0, at + 1)) {
      if (thousand.compare(bytes, at, at + 2) !== 0) continue;
      // 8168 in place of 1000.
      const end = await readAll(changed(bytes, at + 1, 0x7f));
      if (end instanceof Failure) refused += 1;
      else expect(end).toBe(1000);
    }
    expect(refused).toBeGreaterThanOrEqual(3);
  });

  const large = Buffer.alloc(1_000_000, 'a');
  // A block that repeats one byte 131,072 times.
  const repeated = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x03, 0x00, 0x10, 0x61]);
  // A window of 3.75 GB.
  const wide = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xaf, 0x03, 0x00, 0x10, 0x61]);
  test.each([
    ['UNCOMPRESSED', large],
    ['GZIP', gzipSync(large)],
    ['BROTLI', brotliCompressSync(large)],
    ['SNAPPY', snappyCompress(large)],
    ['ZSTD', repeated],
    ['ZSTD', wide],
    ['LZO', large],
  ])('whose page becomes larger than its header says is refused: %s', async (codec, bytes) => {
    await expect(loadCodec(codec).then((decompress) => decompress(bytes, 1000))).rejects.toThrow();
  });

  test('with two columns of one name, or a schema without columns, is refused', async () => {
    const twice = parquetBytes({
      columnData: [
        { name: 'n', data: [1], type: 'INT32' },
        { name: 'n', data: [1], type: 'INT32' },
      ],
    });
    expect(await readAll(twice)).toMatchObject({
      exit: 2,
      message: expect.stringContaining('two of its columns are named "n"') as string,
    });
  });

  test.each([
    ['truth values as dates', 'BOOLEAN', 'DATE', [true]],
    ['fractions as dates', 'DOUBLE', 'DATE', [1.5]],
    ['numbers as spans of time', 'INT32', 'INTERVAL', [1]],
  ] as const)('with %s is refused', async (_, type, converted_type, data) => {
    const bytes = parquetBytes({
      columnData: [{ name: 'd', data: [...data] }],
      schema: [
        { name: 'root', num_children: 1 },
        { name: 'd', type, converted_type, repetition_type: 'REQUIRED' },
      ],
    });
    expect(await readAll(bytes)).toMatchObject({ exit: 2 });
  });

  test('with a schema of very many levels is refused', async () => {
    const levels = 5000;
    const bytes = parquetBytes({
      columnData: [],
      schema: [
        { name: 'root', num_children: 1 },
        ...Array.from({ length: levels }, (_, at) => ({
          name: `l${String(at)}`,
          num_children: 1,
          repetition_type: 'OPTIONAL' as const,
        })),
        { name: 'leaf', type: 'INT32' as const, repetition_type: 'OPTIONAL' as const },
      ],
    });
    expect(await readAll(bytes)).toMatchObject({
      exit: 2,
      message: expect.stringContaining('nested deeper than 64') as string,
    });
  });
});
