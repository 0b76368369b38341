import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { gunzip } from '../../../../src/batch/bytes/split-lines.ts';
import { chunksOf, mixedBytes, readAll } from '../../../support/storage/contents.ts';

const CONTENT = Buffer.concat([mixedBytes(1_500_000), Buffer.alloc(2_000_000, 'a line\n')]);

test('reads what another program wrote in several parts', async () => {
  const written = [CONTENT.subarray(0, 2_000_000), CONTENT.subarray(2_000_000)].map((part) => gzipSync(part));
  expect((await readAll(gunzip(chunksOf(Buffer.concat(written)), 'a'))).equals(CONTENT)).toBe(true);
});

test('says which file is corrupt or truncated', async () => {
  for (const bad of [gzipSync(CONTENT).subarray(0, -1), Buffer.from('plain text, not compressed')])
    await expect(readAll(gunzip(chunksOf(bad), 'a.jsonl'))).rejects.toMatchObject({
      exit: 14,
      message: 'cannot decompress a.jsonl: corrupt or truncated',
    });
});

test('fails as reading does', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield gzipSync(CONTENT).subarray(0, 100);
    throw new Error('no more');
  }
  await expect(readAll(gunzip(broken(), 'a'))).rejects.toThrow('no more');
});
