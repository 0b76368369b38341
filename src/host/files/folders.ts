import { type BigIntStats, lstatSync, promises as fs, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FolderEntry, TreeEntry } from '../../core/context.ts';
import { errorCode } from '../../core/files.ts';
import { ifExists } from './user-files.ts';

/** None when there is no such folder. Fails as the system does. */
export async function listFolder(path: string): Promise<readonly FolderEntry[]> {
  const names = (await ifExists(() => fs.readdir(path))) ?? [];
  return names.flatMap((name): FolderEntry[] => {
    const entry = entryAt(join(path, name));
    if (entry === undefined) return [];
    if (entry.kind !== 'link') return [{ name, kind: entry.kind }];
    // A link to a folder is not followed, because it may lead to a folder above itself.
    return [{ name, kind: entryAt(join(path, name), true)?.kind === 'file' ? 'file' : 'other', link: true }];
  });
}

const AT_A_TIME = 500;

export async function* contentsOf(folder: string, followLinks: boolean): AsyncGenerator<TreeEntry> {
  for await (const { name } of await fs.opendir(folder, { bufferSize: AT_A_TIME })) {
    // Synchronous: faster than starting another thread.
    const entry = entryAt(join(folder, name), followLinks);
    // Skips removed entries; a name in another encoding cannot be looked up.
    if (entry !== undefined) yield entry;
    else if (name.includes('\ufffd'))
      yield { name, kind: 'other', bytes: 0, version: '', modifiedAt: 0, executable: false, identity: '' };
  }
}

/** Undefined where nothing is. A link that leads nowhere, or in a circle, stays one. */
export function entryAt(path: string, followLink = false): TreeEntry | undefined {
  try {
    const stats = lstatSync(path, { bigint: true });
    return entryOf(basename(path), (followLink && stats.isSymbolicLink() ? target(path) : undefined) ?? stats);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

function target(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

const entryOf = (name: string, stats: BigIntStats): TreeEntry => ({
  name,
  kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'other',
  bytes: Number(stats.size),
  // touch -r, cp -p and rsync -t reset mtime but not ctime; a replaced file has another inode.
  version: [stats.mtimeNs, stats.size, stats.ctimeNs, stats.ino].join('-'),
  modifiedAt: Number(stats.mtimeMs),
  executable: (stats.mode & 0o111n) !== 0n,
  identity: `${String(stats.dev)}-${String(stats.ino)}`,
});

export async function removeEmptyFolder(path: string): Promise<void> {
  try {
    await fs.rmdir(path);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error;
  }
}

/** Does nothing on systems and file systems that cannot do that. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
