import { createHash } from 'node:crypto';
import { localFile } from '../../core/failure.ts';
import { inputName } from './item.ts';

/** Length and SHA-256 of an input, and the SHA-256 of its beginning up to the end of each block. */
export interface Fingerprint {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** Concatenated digests of `DIGEST_BYTES` each; the last one is that of the whole input. */
  readonly prefixes: Uint8Array;
  /** Concatenated digests of the blocks, each by itself: only for an input that is not read from beginning to end. */
  readonly blocks?: Uint8Array;
}

/** Bytes of a block. Verification buffers one block; each block needs memory for one digest. */
export const BLOCK_BYTES = 1024 * 1024;
export const DIGEST_BYTES = 32;

/**
 * Passes chunks through and computes their fingerprint. Call `result` after the last chunk. Fails as reading the chunks
 * does.
 */
export function fingerprintChunks(chunks: AsyncIterable<Uint8Array>): {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly result: () => Fingerprint;
} {
  const hash = createHash('sha256');
  const digests: Buffer[] = [];
  let bytes = 0;
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const block of blocksOf(chunks, hash)) {
      for (const chunk of block.chunks) {
        bytes += chunk.byteLength;
        yield chunk;
      }
      digests.push(block.digest);
    }
  }
  return {
    chunks: hashed(),
    result: () => {
      const sha256 = (digests.at(-1) ?? hash.copy().digest()).toString('hex');
      return { bytes, sha256, prefixes: Buffer.concat(digests) };
    },
  };
}

/** Returns the fingerprint of an input. Fails as reading the chunks does. */
export async function fingerprintOf(chunks: AsyncIterable<Uint8Array>): Promise<Fingerprint> {
  const hashed = fingerprintChunks(chunks);
  for await (const _ of hashed.chunks);
  return hashed.result();
}

/** Returns the fingerprint of an input of which any part is read. Fails as reading the chunks does. */
export async function fingerprintWithBlocks(chunks: AsyncIterable<Uint8Array>): Promise<Fingerprint> {
  const digests: Buffer[] = [];
  const blocks: Buffer[] = [];
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const block of blocksOf(chunks, hash)) {
    const own = createHash('sha256');
    for (const chunk of block.chunks) {
      bytes += chunk.byteLength;
      own.update(chunk);
    }
    digests.push(block.digest);
    blocks.push(own.digest());
  }
  const sha256 = hash.digest('hex');
  return { bytes, sha256, prefixes: Buffer.concat(digests), blocks: Buffer.concat(blocks) };
}

/**
 * Passes through the chunks of an input whose fingerprint is known, block by block, and only blocks that match it.
 * Fails with local-file (14) at the first block that differs and when the length differs; `path` is for the message.
 * Fails as reading the chunks does.
 */
export async function* verifyChunks(
  chunks: AsyncIterable<Uint8Array>,
  expected: Fingerprint,
  path: string,
): AsyncGenerator<Uint8Array> {
  let index = 0;
  let bytes = 0;
  for await (const block of blocksOf(chunks, createHash('sha256'))) {
    for (const chunk of block.chunks) bytes += chunk.byteLength;
    const digest = expected.prefixes.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
    if (!block.digest.equals(digest)) throw inputChanged(path);
    index += 1;
    yield* block.chunks;
  }
  if (bytes !== expected.bytes) throw inputChanged(path);
}

/** Chunks of a block, and the digest of the input up to its end. The last block may be shorter; none is empty. */
interface Block {
  readonly chunks: readonly Uint8Array[];
  readonly digest: Buffer;
}

async function* blocksOf(
  chunks: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Block> {
  let held: Uint8Array[] = [];
  let missing = BLOCK_BYTES;
  for await (let chunk of chunks) {
    while (chunk.byteLength >= missing) {
      const last = chunk.subarray(0, missing);
      chunk = chunk.subarray(missing);
      hash.update(last);
      held.push(last);
      yield { chunks: held, digest: hash.copy().digest() };
      [held, missing] = [[], BLOCK_BYTES];
    }
    if (chunk.byteLength === 0) continue;
    hash.update(chunk);
    held.push(chunk);
    missing -= chunk.byteLength;
  }
  if (held.length > 0) yield { chunks: held, digest: hash.copy().digest() };
}

/** The failure (14) for an input that is no longer the one that was checked. */
export const inputChanged = (path: string): Error =>
  localFile(
    `the input ${inputName(path)} was changed after it was checked`,
    'No changed item was sent. Restore the input and resume, or begin a new batch with the items that are left.',
  );
