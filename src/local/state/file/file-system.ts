import { ftruncateSync, promises as fs, writeSync } from 'node:fs';

/**
 * The operations that change files. When the process is killed, each has happened or has not; a file that was being
 * created, and a text that was being added, may be there in part. Nothing is synced to the disk: docs/decisions/0008.
 */
export interface FileSystem {
  /** Writes a new file of mode 0600 from pieces of text. */
  create(path: string, pieces: Iterable<string>): Promise<void>;
  /** Adds bytes to an open file at its end, `position`. */
  append(descriptor: number, bytes: Uint8Array, position: number): void;
  /** Cuts an open file to this size. */
  truncate(descriptor: number, size: number): void;
  rename(from: string, to: string): Promise<void>;
  /** Does nothing when there is no such file. */
  remove(path: string): Promise<void>;
  /** Creates a folder of mode 0700 when there is none. */
  createFolder(path: string): Promise<void>;
}

export const nodeFileSystem: FileSystem = {
  create: (path, pieces) => fs.writeFile(path, joined(pieces), { mode: 0o600, flag: 'wx' }),
  append: (descriptor, bytes, position) => {
    // A write may be short, for example when the disk is full: the next one then fails with the reason.
    for (let done = 0; done < bytes.byteLength;)
      done += writeSync(descriptor, bytes, done, bytes.byteLength - done, position + done);
  },
  truncate: (descriptor, size) => {
    ftruncateSync(descriptor, size);
  },
  rename: (from, to) => fs.rename(from, to),
  remove: (path) => fs.rm(path, { force: true }),
  createFolder: async (path) => {
    await fs.mkdir(path, { recursive: true, mode: 0o700 });
  },
};

/** Small pieces are written together. Characters. */
const WRITE_LENGTH = 1_048_576;

function* joined(pieces: Iterable<string>): Generator<string> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < WRITE_LENGTH) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
