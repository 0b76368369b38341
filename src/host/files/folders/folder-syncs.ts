import { promises as fs } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** Syncs a folder, so that the new names in it are on the disk. */
export type SyncFolder = (folder: string) => Promise<void>;

/** Several that wait for the same folder share one sync, which begins when the one before it has ended. */
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
