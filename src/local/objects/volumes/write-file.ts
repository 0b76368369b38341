import { randomUUID } from 'node:crypto';
import { closeSync, ftruncateSync, mkdirSync, openSync, promises as fs, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ObjectError } from '../answers/object-error.ts';

/**
 * Writes content into a new file of a folder, and returns its path; where it has only zeros, the file has a hole. `take` is called with the number of bytes before each
 * write, and throws when there is no space. Removes the file when anything fails.
 */
export async function writeTemporary(
  folder: string,
  content: AsyncIterable<Uint8Array>,
  take: (bytes: number) => void,
  maxBytes: number,
): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  const file = openSync(path, 'wx', 0o600);
  let bytes = 0;
  try {
    for await (const chunk of content) {
      const at = bytes;
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new ObjectError(400, 'EntityTooLarge', 'The content is too large for one request.');
      take(chunk.byteLength);
      // Synchronous: the system takes the bytes faster than another thread would be started.
      if (!isZero(chunk))
        for (let done = 0; done < chunk.byteLength;)
          done += writeSync(file, chunk, done, chunk.byteLength - done, at + done);
    }
    ftruncateSync(file, bytes);
    closeSync(file);
    return path;
  } catch (error) {
    closeSync(file);
    await fs.rm(path, { force: true });
    throw error;
  }
}

/** Content is compared with zeros in blocks of this size. Bytes. */
const ZEROS = new Uint8Array(65_536);

function isZero(chunk: Uint8Array): boolean {
  for (let at = 0; at < chunk.byteLength; at += ZEROS.byteLength) {
    const block = chunk.subarray(at, at + ZEROS.byteLength);
    if (Buffer.compare(block, ZEROS.subarray(0, block.byteLength)) !== 0) return false;
  }
  return true;
}

/** Bytes that are copied at a time. */
const COPIED_BYTES = 4 * 1024 * 1024;

/** Appends the content of files to a file. */
export async function appendFiles(path: string, others: readonly string[]): Promise<void> {
  const output = await fs.open(path, 'r+');
  try {
    let { size } = await output.stat();
    for (const other of others) size = await appendFile(output, size, other);
    await output.truncate(size);
  } finally {
    await output.close();
  }
}

/** Writes the content of a file at a place of another one. Returns the place after it. */
async function appendFile(output: fs.FileHandle, at: number, path: string): Promise<number> {
  const input = await fs.open(path, 'r');
  try {
    const block = Buffer.allocUnsafe(COPIED_BYTES);
    for (let end = at; ;) {
      const { bytesRead } = await input.read(block, 0, COPIED_BYTES, null);
      if (bytesRead === 0) return end;
      // A block of zeros stays a hole.
      const isHole = isZero(block.subarray(0, bytesRead));
      for (let done = isHole ? bytesRead : 0; done < bytesRead;)
        done += (await output.write(block, done, bytesRead - done, end + done)).bytesWritten;
      end += bytesRead;
    }
  } finally {
    await input.close();
  }
}
