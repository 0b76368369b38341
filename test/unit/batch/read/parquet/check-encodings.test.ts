import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkEncodedNumbers, checkRepeatedBeginnings } from '../../../../../src/batch/read/parquet/check-pages.ts';
import { createMemoryBudget } from '../../../../../src/batch/read/parquet/memory-budget.ts';
import { readLayout } from '../../../../../src/batch/read/parquet/layout.ts';
import { createRowReader } from '../../../../../src/batch/read/parquet/read-rows.ts';
import { jsonOf } from '../../../../../src/batch/read/parquet/values.ts';
import { parquetBytes } from '../../../../support/parquet/parquet-bytes.ts';

/** Returns the JSON values of the only column of a file. */
async function valuesOf(bytes: Uint8Array): Promise<readonly unknown[]> {
  const source = {
    name: 'rows.parquet',
    bytes: bytes.byteLength,
    read: (start: number, end: number) => Promise.resolve(bytes.subarray(start, end)),
  };
  const layout = await readLayout(source);
  const found: unknown[] = [];
  for await (const { values } of createRowReader(source, layout, layout.columns)(0, layout.rows))
    layout.columns.forEach((column, at) =>
      found.push(...(values[at] ?? []).map((each) => JSON.parse(jsonOf(column)(each)) as unknown)),
    );
  return found;
}

describe('runs of numbers', () => {
  const check = (bytes: readonly number[], count: number, most = 7): number =>
    checkEncodedNumbers(Uint8Array.from(bytes), 0, 3, count, most, 'too high');

  test.each([
    ['a run', [10, 7], 5, 5],
    ['numbers in a group', [3, 0b10_001_000, 0b1_100_011, 0b111_110_10], 8, 1],
    ['a group that has more than are asked for', [3, 0b10_001_000, 0b1_100_011, 0b111_110_10], 7, 0],
    ['nothing', [], 0, 0],
  ])('of %s are counted', (_, bytes, count, highest) => {
    expect(check(bytes, count)).toBe(highest);
  });

  test.each([
    ['a run longer than the count', [0xfe, 0xff, 0xff, 0xff, 0x0f, 1], 8, 'more numbers than its header says'],
    ['a group longer than the count', [0xff, 0xff, 0x03, 1], 8, 'more numbers than its header says'],
    ['fewer numbers than the count', [8, 7], 5, 'breaks off'],
    ['a length that never ends', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 8, 'breaks off'],
  ])('with %s are refused', (_, bytes, count, reason) => {
    expect(() => check(bytes, count)).toThrow(reason);
  });

  test('with a number that is too high are refused', () => {
    expect(() => check([10, 7], 5, 6)).toThrow('too high');
  });
});

test('texts that repeat the beginning of the one before are refused when they become too long', () => {
  // Lengths of the beginnings: 16 texts of 64 MiB, as one first length and no difference. Then the lengths of the ends.
  const size = [0x80, 0x80, 0x80, 0x40];
  const lengths = [0x80, 0x01, 4, 16, ...size, 0, 0, 0, 0, 0];
  expect(() => {
    checkRepeatedBeginnings(Uint8Array.from([...lengths, 0x80, 0x01, 4, 16, 0, 0, 0, 0, 0, 0]), 16);
  }).toThrow('more bytes than are read at once');
});

test.each([
  ['bytes', [499_999_999, 0], 'row group 3 has more than 500 MB of data'],
  ['values', [0, 29_999_999], 'row group 3 has more than 30000000 values'],
] as const)('a row group with too many %s is refused, with a way out', (_, [bytes, values], reason) => {
  const budget = createMemoryBudget(3);
  budget.take(1024, 1024);
  expect(() => {
    budget.take(bytes, values);
  }).toThrow(reason);
});

describe('values of each encoding are read as they were written', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom('same', 'same beginning', 'same beginning and end'),
  );
  test.each([
    ['PLAIN', 'STRING', text],
    ['RLE_DICTIONARY', 'STRING', text],
    ['DELTA_LENGTH_BYTE_ARRAY', 'STRING', text],
    ['DELTA_BYTE_ARRAY', 'STRING', text],
    ['DELTA_BINARY_PACKED', 'INT32', fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })],
    ['RLE', 'BOOLEAN', fc.boolean()],
  ] as const)('%s', async (encoding, type, value) => {
    const values = fc.array(fc.option(value as fc.Arbitrary<unknown>, { freq: 4 }), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(values, fc.constantFrom('SNAPPY' as const, 'UNCOMPRESSED' as const), async (data, codec) => {
        const columnData = [{ name: 'v', data, type, nullable: true, encoding }];
        expect(await valuesOf(parquetBytes({ columnData, codec, rowGroupSize: 25 }))).toEqual(data);
      }),
      { numRuns: 40 },
    );
  });
});
