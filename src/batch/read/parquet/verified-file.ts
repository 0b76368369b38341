import { createHash } from 'node:crypto';
import type { DurableFiles } from '../../../core/context.ts';
import { BLOCK_BYTES, DIGEST_BYTES, inputChanged, type Fingerprint } from '../fingerprint.ts';
import type { ByteSource } from './byte-source.ts';

/** Maximum number of blocks in memory: columns of one row group often share a block. */
const MAX_BLOCKS = 64;

/**
 * Reads any part of an input whose fingerprint is known, and only blocks that match it. Reading fails with
 * local-file (14) when a block differs, with the signal's reason, and as reading the file does.
 */
export function verifiedFile(
  durable: DurableFiles,
  path: string,
  expected: Fingerprint,
  signal?: AbortSignal,
): ByteSource {
  const { blocks } = expected;
  if (blocks === undefined) throw new Error('a fingerprint without digests of its blocks');
  const cached = new Map<number, Uint8Array>();

  const keep = (index: number, block: Uint8Array): void => {
    cached.delete(index);
    cached.set(index, block);
    const [oldest] = cached.keys();
    if (cached.size > MAX_BLOCKS && oldest !== undefined) cached.delete(oldest);
  };
  const verify = (index: number, block: Uint8Array): Uint8Array => {
    const digest = createHash('sha256').update(block).digest();
    if (!digest.equals(blocks.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES))) throw inputChanged(path);
    return block;
  };
  /** Reads blocks `first` to `last` from the file in one go. */
  const load = async (first: number, last: number): Promise<readonly Uint8Array[]> => {
    const start = first * BLOCK_BYTES;
    const length = Math.min(expected.bytes, (last + 1) * BLOCK_BYTES) - start;
    const bytes = new Uint8Array(length);
    let filled = 0;
    for await (const chunk of durable.read(path, start)) {
      if (signal?.aborted === true) throw signal.reason;
      const part = chunk.subarray(0, length - filled);
      bytes.set(part, filled);
      filled += part.byteLength;
      if (filled === length) break;
    }
    if (filled < length) throw inputChanged(path);
    return Array.from({ length: last - first + 1 }, (_, at) => {
      const block = verify(first + at, bytes.subarray(at * BLOCK_BYTES, (at + 1) * BLOCK_BYTES));
      keep(first + at, block);
      return block;
    });
  };

  return {
    name: path,
    bytes: expected.bytes,
    read: async (start, end) => {
      if (end <= start) return new Uint8Array(0);
      const first = Math.floor(start / BLOCK_BYTES);
      const last = Math.floor((end - 1) / BLOCK_BYTES);
      const found = cached.get(first);
      if (found !== undefined && first === last) {
        keep(first, found);
        return found.subarray(start - first * BLOCK_BYTES, end - first * BLOCK_BYTES);
      }
      const parts = await load(first, last);
      const [only] = parts;
      const whole = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
      return whole.subarray(start - first * BLOCK_BYTES, end - first * BLOCK_BYTES);
    },
  };
}
