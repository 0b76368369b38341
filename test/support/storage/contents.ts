export async function* chunksOf(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

export async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

/** Bytes that no compression and no repetition can hide a mistake in. */
export function mixedBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0, state = 1; at < length; at++) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    bytes[at] = state >>> 16;
  }
  return bytes;
}
