import { gunzipSync, gzipSync } from 'node:zlib';
import { Zstd } from '@hpcc-js/wasm-zstd';
import { describe, expect, test } from 'vitest';
import { compress, decompress } from '../../../../src/batch/bytes/compression.ts';
import { chunksOf, mixedBytes, readAll } from '../../../support/storage/storage-cases.ts';

const CONTENT = Buffer.concat([mixedBytes(1_500_000), Buffer.alloc(2_000_000, 'a line\n')]);

/** A frame of zstd with one block of any size; `window` is the byte that says how much memory it needs. */
const frame = (window: number): Buffer => Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, window, 0x01, 0x00, 0x00]);
const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 0x03, 0x00, 0x00, 0x00, 1, 2, 3]);
const ONE_GIBIBYTE = 20 << 3;

test('a zstd frame that needs more memory than a window of 128 MiB is refused, wherever it is', async () => {
  const other = await Zstd.load();
  const before = Buffer.concat([other.compress(CONTENT.subarray(0, 3000)), skippable, frame(17 << 3)]);
  const hostile = Buffer.concat([before, frame(ONE_GIBIBYTE)]);
  for (const size of [1, 7, 4096, hostile.byteLength]) {
    const chunks = Array.from({ length: Math.ceil(hostile.byteLength / size) }, (_, at) =>
      hostile.subarray(at * size, (at + 1) * size),
    );
    await expect(readAll(decompress(chunksOf(...chunks), 'zstd', 'a.zst'))).rejects.toMatchObject({
      exit: 14,
      message: expect.stringContaining('that needs 1.1 GB of memory') as string,
    });
  }
});

describe.each(['gzip', 'zstd'] as const)('%s', (kind) => {
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a line', Buffer.from('{"n":1}\n')],
    ['several frames', CONTENT],
  ])('returns what was compressed: %s', async (_, content) => {
    const compressed = await readAll(compress(chunksOf(content.subarray(0, 3), content.subarray(3)), kind));
    expect((await readAll(decompress(chunksOf(compressed), kind, 'a'))).equals(content)).toBe(true);
  });

  test('is read by another program, and reads what that wrote', async () => {
    const other = await Zstd.load();
    const compressed = await readAll(compress(chunksOf(CONTENT.subarray(0, 1_000_000)), kind));
    const theirs = kind === 'gzip' ? gunzipSync(compressed) : Buffer.from(other.decompress(compressed));
    expect(theirs.equals(CONTENT.subarray(0, 1_000_000))).toBe(true);
    const parts = [CONTENT.subarray(0, 2_000_000), CONTENT.subarray(2_000_000)];
    const written = Buffer.concat(parts.map((part) => (kind === 'gzip' ? gzipSync(part) : other.compress(part))));
    expect((await readAll(decompress(chunksOf(written), kind, 'a'))).equals(CONTENT)).toBe(true);
  });

  test('says which file is damaged or breaks off', async () => {
    const compressed = await readAll(compress(chunksOf(CONTENT), kind));
    for (const bad of [compressed.subarray(0, -1), Buffer.from('plain text, not compressed')])
      await expect(readAll(decompress(chunksOf(bad), kind, 'a.jsonl'))).rejects.toMatchObject({
        exit: 14,
        message: 'cannot decompress a.jsonl: it is damaged or breaks off',
      });
  });

  test('fails as reading does', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield (await readAll(compress(chunksOf(CONTENT), kind))).subarray(0, 100);
      throw new Error('no more');
    }
    await expect(readAll(decompress(broken(), kind, 'a'))).rejects.toThrow('no more');
    await expect(readAll(compress(broken(), kind))).rejects.toThrow('no more');
  });
});
