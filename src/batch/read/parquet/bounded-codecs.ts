import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Decompress } from 'fzstd';
import { snappyUncompress } from 'hyparquet';
import { createWindowCheck, MAX_WINDOW_BYTES } from '../../bytes/compression.ts';
import { NotReadable } from './not-readable.ts';

/**
 * Decompresses a page into memory of its own, so that reading after its end fails. Fails when it does not have exactly
 * `size` bytes, and for damaged data.
 */
export type Decompressor = (bytes: Uint8Array, size: number) => Uint8Array;

/** How pages of each codec are decompressed. None returns more than `size` bytes, whatever the data contains. */
const CODECS: Readonly<Record<string, () => Decompressor | Promise<Decompressor>>> = {
  UNCOMPRESSED: () => (bytes) => bytes,
  SNAPPY: () => (bytes, size) => {
    const page = new Uint8Array(size);
    snappyUncompress(bytes, page);
    return page;
  },
  GZIP: () => (bytes, size) => gunzipSync(bytes, { maxOutputLength: Math.max(1, size) }),
  BROTLI: () => (bytes, size) => brotliDecompressSync(bytes, { maxOutputLength: Math.max(1, size) }),
  ZSTD: () => zstd,
  // Loaded for the files that need it: the package has the dictionary of another codec too.
  LZ4: async () => (await import('hyparquet-compressors')).decompressLz4,
  LZ4_RAW: async () => (await import('hyparquet-compressors')).decompressLz4Raw,
};

export const isKnownCodec = (codec: string): boolean => Object.hasOwn(CODECS, codec);

/** Returns the decompressor of a codec, which must be a known one. */
export async function loadCodec(codec: string): Promise<Decompressor> {
  const decompress = await CODECS[codec]?.();
  if (decompress === undefined) throw new NotReadable(`it is compressed with ${codec}, which is not supported`);
  return (bytes, size) => {
    const page = size === 0 ? new Uint8Array(0) : decompress(bytes, size);
    if (page.byteLength !== size) throw wrongSize();
    return page.byteLength === page.buffer.byteLength && page !== bytes ? page : new Uint8Array(page);
  };
}

function zstd(bytes: Uint8Array, size: number): Uint8Array {
  createWindowCheck((window) => {
    if (window.isSingleSegment && window.bytes > size) throw wrongSize();
    if (!window.isSingleSegment && window.bytes > MAX_WINDOW_BYTES)
      throw new NotReadable('its compression needs too much memory');
  })(bytes);
  const page = new Uint8Array(size);
  let length = 0;
  const decoder = new Decompress((chunk) => {
    if (length + chunk.byteLength > size) throw wrongSize();
    page.set(chunk, length);
    length += chunk.byteLength;
  });
  decoder.push(bytes, true);
  return page.subarray(0, length);
}

const wrongSize = (): NotReadable => new NotReadable('a page does not have the size that its header says');
