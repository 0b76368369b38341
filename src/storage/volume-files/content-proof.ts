import { createHash } from 'node:crypto';
import type { ContentProof, FileSource } from '../../core/file-ports.ts';
import { digestOf } from '../s3/operations/upload-file.ts';

const MIB = 1_048_576;

/** Part sizes that other programs use. Bytes. */
const USUAL_PARTS = [5, 8, 10, 15, 16, 25, 32, 50, 64, 100, 128, 256].map((size) => size * MIB);

/** Storage contract: MD5 of the content, or of its parts' MD5s. `own`: the part size used by this program. */
export function proofOf(
  { bytes, version }: { readonly bytes: number; readonly version: string },
  own: number,
): ContentProof {
  const [, md5, count] = /^"([0-9a-f]{32})(?:-(\d{1,5}))?"$/.exec(version) ?? [];
  if (md5 === undefined) return { kind: 'none' };
  if (count === undefined) return { kind: 'whole', md5 };
  const partBytes = [own, ...USUAL_PARTS].find((size) => Math.ceil(bytes / size) === Number(count));
  if (partBytes === undefined) return { kind: 'none' };
  return {
    kind: 'parts',
    partBytes,
    agrees: (digests) => createHash('md5').update(Buffer.concat(digests)).digest('hex') === md5,
  };
}

export async function isProven(
  proof: ContentProof,
  bytes: number,
  source: Omit<FileSource, 'check'>,
): Promise<boolean> {
  if (proof.kind === 'none' || bytes !== source.bytes) return false;
  if (proof.kind === 'whole') return (await digestOf(source, 0, bytes))?.toString('hex') === proof.md5;
  const { partBytes, agrees } = proof;
  const starts = Array.from({ length: Math.ceil(bytes / partBytes) }, (_, index) => index * partBytes);
  const digests: Buffer[] = [];
  for (const start of starts) {
    const digest = await digestOf(source, start, Math.min(start + partBytes, bytes));
    if (digest === undefined) return false;
    digests.push(digest);
  }
  return agrees(digests);
}
