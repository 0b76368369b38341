import { promises as fs, statSync, type BigIntStats, type Dirent } from 'node:fs';
import { join } from 'node:path';
import type { FileVersion, FolderEntry } from '../../core/context.ts';
import { ifExists } from './resolve-path.ts';

/** Returns size and version of a regular file; undefined for anything else. Fails as the system does. */
export async function describeFile(path: string): Promise<FileVersion | undefined> {
  // Synchronous: the system answers faster than another thread would be started.
  const stats = await ifExists(async () => statSync(path, { bigint: true }));
  if (stats?.isFile() !== true) return undefined;
  return { bytes: Number(stats.size), version: versionOf(stats) };
}

/** The version of a file: it changes with its content. */
export function versionOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  // Nanoseconds: a second change within the same millisecond is another version. Whoever sets the time of a file back (touch
  // -r, cp -p, rsync -t) cannot set the time of that change, and a file in its place has another inode.
  return [mtimeNs, size, ctimeNs, ino].join('-');
}

/** Returns the entries of a folder; none when there is no such folder. Fails as the system does. */
export async function listFolder(path: string): Promise<readonly FolderEntry[]> {
  const entries = (await ifExists(() => fs.readdir(path, { withFileTypes: true }))) ?? [];
  return await Promise.all(
    entries.map(async (entry) => ({
      name: entry.name,
      kind: await kindOf(path, entry),
      ...(entry.isSymbolicLink() ? { link: true } : {}),
    })),
  );
}

async function kindOf(folder: string, entry: Dirent): Promise<FolderEntry['kind']> {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  // A link to a folder is not followed, because it may lead to a folder above itself.
  if (!entry.isSymbolicLink()) return 'other';
  const target = await fs.stat(join(folder, entry.name)).catch(() => undefined);
  return target?.isFile() === true ? 'file' : 'other';
}
