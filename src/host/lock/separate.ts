import { randomUUID } from 'node:crypto';
import { constants, existsSync, promises as fs, rmSync, writeFileSync } from 'node:fs';
import { errorCode } from '../../core/file-errors.ts';

/** Says that a holder was removed that may only be stopped: whoever takes the lock next must not share files with it. */
const markPath = (path: string): string => `${path}.seized`;

/** To be called before such a holder is removed: another process than this one may be the next to take the lock. */
export function markSeized(path: string): void {
  writeFileSync(markPath(path), '', { mode: 0o600 });
}

/**
 * Puts copies in the place of files that an earlier holder may still have open: wherever it wakes up, in the middle of a
 * write even, it changes a file that nobody reads any more. Does nothing where no such holder was removed.
 */
export async function separateFiles(path: string, files: readonly string[], check: () => void): Promise<void> {
  if (!existsSync(markPath(path))) return;
  for (const file of files) await separate(file, check);
  rmSync(markPath(path), { force: true });
}

async function separate(path: string, check: () => void): Promise<void> {
  const copy = `${path}.${randomUUID()}.part`;
  try {
    await fs.copyFile(path, copy, constants.COPYFILE_FICLONE);
    const handle = await fs.open(copy, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    check();
    await fs.rename(copy, path);
  } catch (error) {
    await fs.rm(copy, { force: true });
    // A batch that was killed early has no results yet.
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
