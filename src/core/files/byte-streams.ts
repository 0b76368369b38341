import type { Bytes } from '../unit-types.ts';

/** Returns all bytes of a source; undefined when there are more than `maxBytes`, and then reads no further. */
export async function collectBytes(chunks: AsyncIterable<Uint8Array>, maxBytes: Bytes): Promise<Buffer | undefined> {
  const kept: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    kept.push(chunk);
  }
  return Buffer.concat(kept);
}

/** Yields the same bytes in blocks of exactly this size; the last one may be shorter, and none is empty. */
export async function* blocksOf(chunks: AsyncIterable<Uint8Array>, size: Bytes): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let missing = size;
  for await (let chunk of chunks) {
    while (chunk.byteLength >= missing) {
      yield Buffer.concat([...held, chunk.subarray(0, missing)]);
      chunk = chunk.subarray(missing);
      [held, missing] = [[], size];
    }
    if (chunk.byteLength === 0) continue;
    held.push(chunk);
    missing -= chunk.byteLength;
  }
  if (held.length > 0) yield Buffer.concat(held);
}
