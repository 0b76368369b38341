import { expect, test } from 'vitest';
import { compress } from '../../../../src/batch/bytes/compression.ts';
import { sharedItems } from '../../../../src/batch/shared/shared-items.ts';
import type { Manifest } from '../../../../src/batch/stores/postgres/rows/batch-rows.ts';
import type { Claim, SharedBooks } from '../../../../src/batch/stores/postgres/driver/driver-records.ts';
import type { ObjectStorage } from '../../../../src/core/context.ts';
import { collect } from '../../../../src/batch/read/sources/content-digest.ts';
import { chunksOf } from '../../../support/storage/storage-cases.ts';

const INPUTS = 20;

test('a driver has one of many compressed inputs open at a time', async () => {
  const content = await collect(compress(chunksOf(Buffer.from('{"n":1}\n'.repeat(3))), 'zstd'));
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
    address: `s3://b/${String(at)}.jsonl.zst`,
    bytes: content.byteLength,
    version: '1',
  }));
  const claims = sources.map((_, source) => {
    const range = { start: 0, end: 3, firstItem: 3 * source + 1, firstLine: 1, items: 3, invalid: 0, digest: '' };
    return { row: { source, range }, isLost: () => false } as unknown as Claim;
  });
  const books = { claim: async () => claims.shift() ?? 'finished' } as unknown as SharedBooks;
  const manifest = { sources, format: { format: 'jsonl' }, extras: '' } as unknown as Manifest;
  const numbers: number[] = [];
  for await (const group of sharedItems({ storage, signal: new AbortController().signal }, manifest, books))
    for (const item of group) numbers.push(item.number);
  expect(numbers).toEqual(Array.from({ length: 3 * INPUTS }, (_, at) => at + 1));
  expect([mostOpen, open]).toEqual([1, 0]);
});
