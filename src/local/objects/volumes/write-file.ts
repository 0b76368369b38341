import { createHash, randomUUID } from 'node:crypto';
import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { ObjectError } from '../answers/object-error.ts';

/** A file that was written under a temporary name. */
export interface Written {
  readonly path: string;
  readonly bytes: number;
  /** The MD5 of its content. */
  readonly md5: Buffer;
}

/**
 * Writes content into a new file of a folder. `take` is called with the number of bytes before each write, and throws when
 * there is no space. Removes the file when anything fails.
 */
export async function writeTemporary(
  folder: string,
  content: AsyncIterable<Uint8Array>,
  take: (bytes: number) => void,
  maxBytes: number,
): Promise<Written> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  const file = await fs.open(path, 'wx', 0o600);
  const hash = createHash('md5');
  let bytes = 0;
  try {
    for await (const chunk of content) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new ObjectError(400, 'EntityTooLarge', 'The content is too large for one request.');
      take(chunk.byteLength);
      hash.update(chunk);
      await file.write(chunk);
    }
    await file.close();
    return { path, bytes, md5: hash.digest() };
  } catch (error) {
    await file.close().catch(() => undefined);
    await fs.rm(path, { force: true });
    throw error;
  }
}
