import { createHash } from 'node:crypto';
import type { ContentProof, VolumeFile } from '../core/file-ports.ts';
import type { Bytes } from '../core/unit-types.ts';
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

const MIB = 1_048_576;

/** The most parts of one upload (storage contract). */
const MAX_PARTS = 10_000;
const PART_BYTES: Bytes = 16 * MIB;

/** The same for the same file, so that an interrupted upload can go on. */
export const partSize = (bytes: Bytes): Bytes => Math.ceil(Math.max(bytes / MAX_PARTS, PART_BYTES) / MIB) * MIB;

/** Part sizes that other programs use. Bytes. */
const USUAL_PARTS = [5, 8, 10, 15, 16, 25, 32, 50, 64, 100, 128, 256].map((size) => size * MIB);

/** What the ETag of a file proves: it is the MD5 of the content, or of its parts' MD5s (storage contract). */
export function proofOf({ bytes, version }: Pick<VolumeFile, 'bytes' | 'version'>): ContentProof {
  const [, digest, count] = /^"([0-9a-f]{32})(?:-(\d{1,5}))?"$/.exec(version) ?? [];
  const size = [partSize(bytes), ...USUAL_PARTS].find((each) => Math.ceil(bytes / each) === Number(count));
  if (digest === undefined || (count !== undefined && size === undefined)) return { kind: 'none' };
  if (count === undefined || size === undefined) return { kind: 'whole', md5: digest };
  const agrees = (digests: readonly Buffer[]): boolean => md5(Buffer.concat(digests)).toString('hex') === digest;
  return { kind: 'parts', partBytes: size, agrees };
}
