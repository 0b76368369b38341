import { pipeline, Readable } from 'node:stream';
import { localFile } from '../../core/failure.ts';

type Chunks = AsyncIterable<Uint8Array>;

export const isGzip = (name: string): boolean => name.toLowerCase().endsWith('.gz');

/** The same chunks in the same sizes become the same bytes. */
export async function* gzip(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const { createGzip } = await import('node:zlib');
  const compressed = createGzip();
  pipeline(Readable.from(chunks), compressed, () => undefined);
  for await (const chunk of compressed) yield chunk as Uint8Array;
}

/** Fails with local-file (14), with `name`, for corrupt or truncated content, and as reading the chunks does. */
export async function* gunzip(chunks: Chunks, name: string): AsyncGenerator<Uint8Array> {
  const { createGunzip } = await import('node:zlib');
  const decompressed = createGunzip();
  // When reading the chunks fails, the decompression stops and throws that error.
  pipeline(Readable.from(chunks), decompressed, () => undefined);
  try {
    for await (const chunk of decompressed) yield chunk as Uint8Array;
  } catch (error) {
    throw isOfZlib(error)
      ? localFile(`cannot decompress ${name}: corrupt or truncated`, 'Make the file again.', error)
      : error;
  }
}

/** The codes of the errors of zlib begin with Z_ (Z_DATA_ERROR), and no others do. */
const isOfZlib = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
