import { randomUUID } from 'node:crypto';
import { constants, existsSync, promises as fs, rmSync, writeFileSync } from 'node:fs';
import { errorCode } from '../../core/files/file-errors.ts';

/** A marker file: a holder was removed that may be suspended, so the next holder must not share files with it. */
const markerPath = (path: string): string => `${path}.seized`;

/** Creates the marker. Call it before the holder is removed, because another process may be the next holder. */
export function markForCopies(path: string): void {
  writeFileSync(markerPath(path), '', { mode: 0o600 });
}

/**
 * Replaces files by copies when the marker exists: a removed holder may still have the files open, and when it continues
 * it then writes to files that are not used any more. Does nothing without a marker. `check` fails when the lock was lost.
 */
export async function replaceWithCopies(path: string, files: readonly string[], check: () => void): Promise<void> {
  if (!existsSync(markerPath(path))) return;
  for (const file of files) await replaceWithCopy(file, check);
  rmSync(markerPath(path), { force: true });
}

async function replaceWithCopy(path: string, check: () => void): Promise<void> {
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
    // A batch that was killed early has no results file yet.
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
