import { closeSync, promises as fs, fstatSync, openSync, readSync } from 'node:fs';

/**
 * The operations that change files. When the process is killed, each has happened or has not; a file that was being
 * created may contain any part of its text.
 */
export interface FileSystem {
  /** Writes a new file of mode 0600. It is not synced to the disk: docs/decisions/0008. */
  create(path: string, text: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Does nothing when there is no such file. */
  remove(path: string): Promise<void>;
  /** Creates a folder of mode 0700 when there is none. */
  createFolder(path: string): Promise<void>;
}

export const nodeFileSystem: FileSystem = {
  create: (path, text) => fs.writeFile(path, text, { mode: 0o600, flag: 'wx' }),
  rename: (from, to) => fs.rename(from, to),
  remove: (path) => fs.rm(path, { force: true }),
  createFolder: async (path) => {
    await fs.mkdir(path, { recursive: true, mode: 0o700 });
  },
};

/** How many bytes at the start of a state file contain its stamp. */
const HEADER_BYTES = 80;

/**
 * A text that differs for every file that was or will be at this path: its size, time and stamp. Empty when there is no
 * file, or it cannot be read.
 */
export function fileIdentity(path: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const { size, mtimeNs } = fstatSync(descriptor, { bigint: true });
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
    return `${String(size)} ${String(mtimeNs)} ${header.toString('latin1')}`;
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
