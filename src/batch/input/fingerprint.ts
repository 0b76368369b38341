import { createHash } from 'node:crypto';
import { localFile } from '../../core/failure.ts';
import { inputName } from './item.ts';

/** An input as it was read once: its length in bytes, its SHA-256, and the SHA-256 of its beginning up to each block. */
export interface Fingerprint {
  readonly bytes: number;
  readonly sha256: string;
  /** One digest after the other, `DIGEST_BYTES` each: the last one is that of the whole input. */
  readonly prefixes: Uint8Array;
}

/** Bytes of a block: so much is held back while it is compared. Each costs one digest of memory. */
const BLOCK_BYTES = 1024 * 1024;
const DIGEST_BYTES = 32;

/** Takes the fingerprint of what passes through it; `result` is for when all has passed. Fails as the pieces do. */
export function fingerprinting(pieces: AsyncIterable<Uint8Array>): {
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly result: () => Fingerprint;
} {
  const hash = createHash('sha256');
  const digests: Buffer[] = [];
  let bytes = 0;
  async function* passing(): AsyncGenerator<Uint8Array> {
    for await (const { held, digest } of blocksOf(pieces, hash)) {
      for (const piece of held) {
        bytes += piece.byteLength;
        yield piece;
      }
      digests.push(digest);
    }
  }
  return {
    pieces: passing(),
    result: () => {
      const sha256 = (digests.at(-1) ?? hash.copy().digest()).toString('hex');
      return { bytes, sha256, prefixes: Buffer.concat(digests) };
    },
  };
}

/** The fingerprint of an input. Fails as the pieces do. */
export async function fingerprint(pieces: AsyncIterable<Uint8Array>): Promise<Fingerprint> {
  const passing = fingerprinting(pieces);
  for await (const _ of passing.pieces);
  return passing.result();
}

/**
 * Reads an input again, and hands on only what is the same as when its fingerprint was taken. Fails with local-file (14)
 * at the first block that is not, where it is shorter, and where it is longer; `path` is named then. Fails as the pieces
 * do.
 */
export async function* unchanged(
  pieces: AsyncIterable<Uint8Array>,
  before: Fingerprint,
  path: string,
): AsyncGenerator<Uint8Array> {
  let block = 0;
  let bytes = 0;
  for await (const { held, digest } of blocksOf(pieces, createHash('sha256'))) {
    for (const piece of held) bytes += piece.byteLength;
    const known = before.prefixes.subarray(block * DIGEST_BYTES, (block + 1) * DIGEST_BYTES);
    if (!digest.equals(known)) throw wasChanged(path);
    block += 1;
    yield* held;
  }
  if (bytes !== before.bytes) throw wasChanged(path);
}

/** The pieces of each block, and the digest of everything up to its end. The last block may be shorter; none is empty. */
async function* blocksOf(
  pieces: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<{ readonly held: readonly Uint8Array[]; readonly digest: Buffer }> {
  let held: Uint8Array[] = [];
  let room = BLOCK_BYTES;
  for await (let piece of pieces) {
    while (piece.byteLength >= room) {
      const last = piece.subarray(0, room);
      piece = piece.subarray(room);
      hash.update(last);
      held.push(last);
      yield { held, digest: hash.copy().digest() };
      [held, room] = [[], BLOCK_BYTES];
    }
    if (piece.byteLength === 0) continue;
    hash.update(piece);
    held.push(piece);
    room -= piece.byteLength;
  }
  if (held.length > 0) yield { held, digest: hash.copy().digest() };
}

const wasChanged = (path: string): Error =>
  localFile(
    `the input ${inputName(path)} was changed after it was checked`,
    'Nothing of what changed was sent. Put the input back as it was and resume, or begin a new batch with what is left.',
  );
