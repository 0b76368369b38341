import { lstatSync, promises as fs, statSync, type BigIntStats } from 'node:fs';
import { basename, join } from 'node:path';
import type { TreeEntry } from '../../../core/context.ts';
import { errorCode } from '../../../core/files/file-errors.ts';
import { versionOf } from '../look-at-files.ts';

/** How many entries are read from the system at a time. */
const AT_A_TIME = 500;

/** The entries of a folder: see `RangeFiles`. Fails as the system does. */
export async function* contentsOf(folder: string, followLinks: boolean): AsyncGenerator<TreeEntry> {
  for await (const { name } of await fs.opendir(folder, { bufferSize: AT_A_TIME })) {
    // Synchronous: the system answers faster than another thread would be started.
    const entry = entryAt(join(folder, name), followLinks);
    // One that was removed meanwhile is left out; a name in another encoding cannot be asked for.
    if (entry !== undefined) yield entry;
    else if (name.includes('\ufffd')) yield { ...NOTHING, name };
  }
}

const NOTHING: Omit<TreeEntry, 'name'> = {
  kind: 'other',
  bytes: 0,
  version: '',
  modifiedAt: 0,
  executable: false,
  identity: '',
};

/** What is at a path; undefined where nothing is. Fails as the system does. */
export function entryAt(path: string, followLinks = false): TreeEntry | undefined {
  try {
    const stats = lstatSync(path, { bigint: true });
    return entryOf(basename(path), (followLinks && stats.isSymbolicLink() ? target(path) : undefined) ?? stats);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** What a link leads to; undefined where it leads nowhere, or in a circle. */
function target(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

function entryOf(name: string, stats: BigIntStats): TreeEntry {
  const { size, mtimeMs, mode, dev, ino } = stats;
  return {
    name,
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'other',
    bytes: Number(size),
    version: versionOf(stats),
    modifiedAt: Number(mtimeMs),
    executable: (mode & 0o111n) !== 0n,
    identity: `${String(dev)}-${String(ino)}`,
  };
}

/** Removes a folder if nothing is in it. Fails as the system does. */
export async function removeEmptyFolder(path: string): Promise<void> {
  try {
    await fs.rmdir(path);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error;
  }
}
