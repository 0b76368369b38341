import { createHash } from 'node:crypto';
import type { ContentProof, VolumeFile } from '../core/file-ports.ts';
import { partSize } from './multipart.ts';

const MIB = 1_048_576;

/** Part sizes that other programs use. Bytes. */
const USUAL_PARTS = [5, 8, 10, 15, 16, 25, 32, 50, 64, 100, 128, 256].map((size) => size * MIB);

/** What the ETag of a file proves: it is the MD5 of the content, or of its parts' MD5s (storage contract). */
export function proofOf({ bytes, version }: Pick<VolumeFile, 'bytes' | 'version'>): ContentProof {
  const [, md5, count] = /^"([0-9a-f]{32})(?:-(\d{1,5}))?"$/.exec(version) ?? [];
  if (md5 === undefined) return { kind: 'none' };
  if (count === undefined) return { kind: 'whole', md5 };
  const partBytes = [partSize(bytes), ...USUAL_PARTS].find((size) => Math.ceil(bytes / size) === Number(count));
  if (partBytes === undefined) return { kind: 'none' };
  return {
    kind: 'parts',
    partBytes,
    agrees: (digests) => createHash('md5').update(Buffer.concat(digests)).digest('hex') === md5,
  };
}
