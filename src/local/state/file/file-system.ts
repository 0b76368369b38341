import { closeSync, promises as fs, fstatSync, openSync, readSync } from 'node:fs';

/** What changes files. At a kill each has happened or has not; of what is created, any part may be there. */
export interface FileSystem {
  /** Writes a new file of mode 0600. Not synced to the disk: docs/decisions/0008. */
  create(path: string, text: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Does nothing where there is no such file. */
  remove(path: string): Promise<void>;
  /** A folder of mode 0700, where there is none yet. */
  folder(path: string): Promise<void>;
}

export const realFiles: FileSystem = {
  create: (path, text) => fs.writeFile(path, text, { mode: 0o600, flag: 'wx' }),
  rename: (from, to) => fs.rename(from, to),
  remove: (path) => fs.rm(path, { force: true }),
  folder: async (path) => {
    await fs.mkdir(path, { recursive: true, mode: 0o700 });
  },
};

/** How much of a file's beginning tells it from all that were there before it: its stamp is in it. */
const HEAD = 80;

/** Tells a file from any other that lay or will lie at its place; empty where there is none, or it cannot be read. */
export function markOf(path: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const { size, mtimeNs } = fstatSync(descriptor, { bigint: true });
    const head = Buffer.alloc(HEAD);
    readSync(descriptor, head, 0, HEAD, 0);
    return `${String(size)} ${String(mtimeNs)} ${head.toString('latin1')}`;
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
