import { createHash } from 'node:crypto';

/** Content with its MD5, which is computed as the content is read. */
export interface DigestedContent extends AsyncIterable<Uint8Array> {
  /** The MD5 of what was read: to be called when that is all of it. */
  readonly md5: () => Buffer;
}

/** The same content, with its MD5. It can be read once. */
export function withMd5(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): DigestedContent {
  const hash = createHash('md5');
  let digest: Buffer | undefined;
  return {
    md5: () => (digest ??= hash.digest()),
    [Symbol.asyncIterator]: async function* () {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
  };
}
