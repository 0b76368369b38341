import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { itemsOf } from '../../../../src/batch/read/inputs.ts';
import type { ObjectStorage } from '../../../../src/core/context.ts';

const INPUTS = 20;

test('one of many compressed inputs is open at a time', async () => {
  const content = gzipSync('{"n":1}\n'.repeat(3));
  let open = 0;
  let mostOpen = 0;
  const storage = {
    read: async function* () {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      try {
        yield content;
      } finally {
        open -= 1;
      }
    },
  } as unknown as ObjectStorage;
  const sources = Array.from({ length: INPUTS }, (_, at) => ({
    address: `s3://b/${String(at)}.jsonl.gz`,
    bytes: content.byteLength,
    version: '1',
  }));
  const ranges = sources.map((_, source) => ({
    source,
    range: { start: 0, end: 3, firstItem: 3 * source + 1, firstLine: 1, items: 3, invalid: 0, digest: '' },
  }));
  const inputs = { sources, format: { format: 'jsonl' }, extras: '', ranges } as const;
  const numbers: number[] = [];
  for await (const group of itemsOf({ storage, signal: new AbortController().signal }, inputs))
    for (const item of group) numbers.push(item.number);
  expect(numbers).toEqual(Array.from({ length: 3 * INPUTS }, (_, at) => at + 1));
  expect([mostOpen, open]).toEqual([1, 0]);
});
