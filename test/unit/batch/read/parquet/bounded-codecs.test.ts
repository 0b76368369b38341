import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Zstd } from '@hpcc-js/wasm-zstd';
import { expect, test } from 'vitest';
import { loadCodec } from '../../../../../src/batch/read/parquet/bounded-codecs.ts';

const SIZE = 1000;
const bomb = Buffer.alloc(10_000_000);

test.each([
  ['GZIP', gzipSync(bomb), 'larger than 1000 bytes'],
  ['BROTLI', brotliCompressSync(bomb), 'larger than 1000 bytes'],
  ['ZSTD', Buffer.from((await Zstd.load()).compress(bomb)), 'does not have the size'],
])('%s: decompression stops at the size that the page says', async (codec, bytes, reason) => {
  const decompress = await loadCodec(codec);
  expect(() => decompress(bytes, SIZE)).toThrow(reason);
});
