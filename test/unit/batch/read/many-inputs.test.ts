import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { claimedItems } from '../../../../src/batch/run/item-queue.ts';
import { openInputs } from '../../../../src/batch/read/inputs.ts';
import type { RangeClaims } from '../../../../src/batch/model/run-records.ts';
import type { ObjectStorage } from '../../../../src/core/context.ts';

const INPUTS = 20;

test('a driver has one of many compressed inputs open at a time', async () => {
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
  const claims = sources.map((_, source) => {
    const range = { start: 0, end: 3, firstItem: 3 * source + 1, firstLine: 1, items: 3, invalid: 0, digest: '' };
    return { row: { source, range }, isLost: () => false };
  });
  const records = { claim: async () => claims.shift() ?? 'finished' } as unknown as RangeClaims;
  const inputs = openInputs(
    { storage, signal: new AbortController().signal },
    { sources, format: { format: 'jsonl' }, extras: '' },
  );
  const numbers: number[] = [];
  for await (const group of claimedItems(records, inputs)) for (const item of group) numbers.push(item.number);
  expect(numbers).toEqual(Array.from({ length: 3 * INPUTS }, (_, at) => at + 1));
  expect([mostOpen, open]).toEqual([1, 0]);
});
