import { type BigIntStats, type Dirent, lstatSync, promises as fs, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { FileVersion, FolderEntry, TreeEntry } from '../../core/context.ts';
import { errorCode } from '../../core/files.ts';
import { DAY_MS } from '../../core/unit-types.ts';
import { ifExists } from './user-files.ts';

/** Undefined for anything but a regular file. Fails as the system does. */
export async function describeFile(path: string): Promise<FileVersion | undefined> {
  // Synchronous: faster than starting another thread.
  const stats = await ifExists(async () => statSync(path, { bigint: true }));
  if (stats?.isFile() !== true) return undefined;
  return { bytes: Number(stats.size), version: versionOf(stats) };
}

function versionOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  // touch -r, cp -p and rsync -t reset mtime but not ctime; a replaced file has another inode.
  return [mtimeNs, size, ctimeNs, ino].join('-');
}

/** None when there is no such folder. Fails as the system does. */
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

const AT_A_TIME = 500;

export async function* contentsOf(folder: string, followLinks: boolean): AsyncGenerator<TreeEntry> {
  for await (const { name } of await fs.opendir(folder, { bufferSize: AT_A_TIME })) {
    // Synchronous: faster than starting another thread.
    const entry = entryAt(join(folder, name), followLinks);
    // Skips removed entries; a name in another encoding cannot be looked up.
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

export function entryAt(path: string, followLinks = false): TreeEntry | undefined {
  try {
    const stats = lstatSync(path, { bigint: true });
    return entryOf(basename(path), (followLinks && stats.isSymbolicLink() ? target(path) : undefined) ?? stats);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Undefined if the link leads nowhere or in a circle. */
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

export async function removeEmptyFolder(path: string): Promise<void> {
  try {
    await fs.rmdir(path);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error;
  }
}

/** As `files` names them while they are written. */
const LEFTOVER = /^\.berth-[0-9a-f]{12}\.partial$/;

export async function removeLeftovers(folder: string): Promise<void> {
  for (const name of (await fs.readdir(folder).catch(() => [])).filter((each) => LEFTOVER.test(each))) {
    const path = join(folder, name);
    const stats = await fs.lstat(path).catch(() => undefined);
    const isOld = stats !== undefined && Date.now() - stats.mtimeMs > DAY_MS;
    if (isOld && stats.isFile() && stats.uid === (process.getuid?.() ?? stats.uid))
      await fs.rm(path, { force: true }).catch(() => undefined);
  }
}

type SyncFolder = (folder: string) => Promise<void>;

/** Calls that wait for the same folder share one sync, which starts after the previous one has ended. */
export function createFolderSyncs(syncOne: SyncFolder = syncFolder): SyncFolder {
  const waiting = new Map<string, Promise<void>>();
  const running = new Map<string, Promise<void>>();
  const begin = async (folder: string): Promise<void> => {
    await running.get(folder);
    waiting.delete(folder);
    const sync = syncOne(folder);
    running.set(folder, sync);
    await sync;
    if (running.get(folder) === sync) running.delete(folder);
  };
  return (folder) => {
    const sync = waiting.get(folder) ?? begin(folder);
    waiting.set(folder, sync);
    return sync;
  };
}

/** Does nothing on systems that cannot do that. */
async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle;
  try {
    handle = await fs.open(folder, 'r');
  } catch {
    return;
  }
  try {
    await handle.sync();
  } catch {
    // Some file systems cannot sync a directory.
  } finally {
    await handle.close();
  }
}
