import type { DurableFiles } from '../../../../core/context.ts';

/** Reads lines of a file, each from any offset. */
export interface BlockReader {
  /** Returns the bytes from an offset up to the next line feed, or to the end of the file. Fails as reading does. */
  line(start: number): Promise<Uint8Array>;
}

const BLOCK_BYTES = 256 * 1024;
/** Maximum number of blocks in memory: 16 MiB in total. */
const MAX_BLOCKS = 64;
const LINE_FEED = 0x0a;

/**
 * Creates a reader that keeps the blocks that were used last, because results are approximately in the order of the
 * input.
 */
export function createBlockReader(durable: DurableFiles, path: string): BlockReader {
  const blocks = new Map<number, Uint8Array>();
  const load = async (index: number): Promise<Uint8Array> => {
    const found = blocks.get(index) ?? (await readBlock(durable, path, index * BLOCK_BYTES));
    blocks.delete(index);
    blocks.set(index, found);
    const [oldest] = blocks.keys();
    if (blocks.size > MAX_BLOCKS && oldest !== undefined) blocks.delete(oldest);
    return found;
  };
  return {
    line: async (start) => {
      const parts: Uint8Array[] = [];
      let index = Math.floor(start / BLOCK_BYTES);
      for (let from = start % BLOCK_BYTES; ; from = 0) {
        const block = blocks.get(index) ?? (await load(index));
        const feed = block.indexOf(LINE_FEED, from);
        parts.push(block.subarray(from, feed < 0 ? block.byteLength : feed));
        if (feed >= 0 || block.byteLength < BLOCK_BYTES) break;
        index += 1;
      }
      return parts.length === 1 ? (parts[0] ?? new Uint8Array(0)) : Buffer.concat(parts);
    },
  };
}

/** Returns a whole block, or the rest of the file when that is shorter. */
async function readBlock(durable: DurableFiles, path: string, start: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of durable.read(path, start)) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length >= BLOCK_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, BLOCK_BYTES);
}
