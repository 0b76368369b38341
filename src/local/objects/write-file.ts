import { createHash, randomUUID } from 'node:crypto';
import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { ObjectError } from './object-error.ts';

/** A file that was written under a temporary name. */
export interface Written {
  readonly path: string;
  readonly bytes: number;
  /** The MD5 of its content. */
  readonly md5: Buffer;
}

/** Writes content as `writeTemporary` does, and computes its MD5. */
export async function writeHashed(
  folder: string,
  content: AsyncIterable<Uint8Array>,
  take: (bytes: number) => void,
  maxBytes: number,
): Promise<Written> {
  const hash = createHash('md5');
  const hashed = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      hash.update(chunk);
      yield chunk;
    }
  };
  return { ...(await writeTemporary(folder, hashed(), take, maxBytes)), md5: hash.digest() };
}

/**
 * Writes content into a new file of a folder; where it has only zeros, the file has a hole. `take` is called with the number of
 * bytes before each write, and throws when there is no space. Removes the file when anything fails.
 */
export async function writeTemporary(
  folder: string,
  content: AsyncIterable<Uint8Array>,
  take: (bytes: number) => void,
  maxBytes: number,
): Promise<Omit<Written, 'md5'>> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  const file = await fs.open(path, 'wx', 0o600);
  let bytes = 0;
  try {
    for await (const chunk of content) {
      const at = bytes;
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new ObjectError(400, 'EntityTooLarge', 'The content is too large for one request.');
      take(chunk.byteLength);
      if (!isZero(chunk)) await writeAll(file, chunk, at);
    }
    await file.truncate(bytes);
    await file.close();
    return { path, bytes };
  } catch (error) {
    await file.close().catch(() => undefined);
    await fs.rm(path, { force: true });
    throw error;
  }
}

/** Compared in blocks of this size. Bytes. */
const ZEROS = new Uint8Array(65_536);

function isZero(chunk: Uint8Array): boolean {
  for (let at = 0; at < chunk.byteLength; at += ZEROS.byteLength) {
    const block = chunk.subarray(at, at + ZEROS.byteLength);
    if (Buffer.compare(block, ZEROS.subarray(0, block.byteLength)) !== 0) return false;
  }
  return true;
}

async function writeAll(file: fs.FileHandle, chunk: Uint8Array, start: number): Promise<void> {
  for (let done = 0; done < chunk.byteLength;)
    done += (await file.write(chunk, done, chunk.byteLength - done, start + done)).bytesWritten;
}
