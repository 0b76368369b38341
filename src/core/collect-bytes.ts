/** Returns all bytes of a source; undefined when there are more than `maxBytes`, and then reads no further. */
export async function collectBytes(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer | undefined> {
  const kept: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    kept.push(chunk);
  }
  return Buffer.concat(kept);
}
