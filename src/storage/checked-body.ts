import { createHash } from 'node:crypto';
import type { S3Request, SentBody } from './client.ts';
import { md5 } from './sign.ts';

/** An ETag that is a checksum: of the content, or of the checksums of its parts. */
export const CHECKSUM = /^"?[0-9a-f]{32}(-\d+)?"?$/;

/** The MD5 of what is sent is compared with the ETag of the answer. */
export function checkedBody(body: SentBody): {
  readonly request: Pick<S3Request, 'body' | 'headers' | 'check'>;
  /** Of the last attempt that was sent to its end. */
  readonly md5: () => Buffer;
} {
  const isWhole = body instanceof Uint8Array;
  let digest = isWhole ? md5(body) : Buffer.alloc(0);
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    const hash = createHash('md5');
    for await (const chunk of isWhole ? [body] : body.chunks()) {
      hash.update(chunk);
      yield chunk;
    }
    digest = hash.digest();
  };
  return {
    request: {
      body: isWhole ? body : { byteLength: body.byteLength, chunks },
      headers: isWhole ? { 'content-md5': digest.toString('base64') } : {},
      check: ({ headers: { etag = '' } }) =>
        CHECKSUM.test(etag) && etag.replaceAll('"', '') !== digest.toString('hex')
          ? 'its ETag is not the checksum of what was sent'
          : undefined,
    },
    md5: () => digest,
  };
}
