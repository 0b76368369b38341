import { ftruncateSync, promises as fs, writeSync } from 'node:fs';

/** A kill can leave a partial new file or addition. Nothing is synced to disk: docs/decisions/0008. */
export interface FileSystem {
  /** Mode 0600. */
  create(path: string, pieces: Iterable<string>): Promise<void>;
  /** `position` must be the end of the file. */
  append(descriptor: number, bytes: Uint8Array, position: number): void;
  truncate(descriptor: number, size: number): void;
  rename(from: string, to: string): Promise<void>;
  /** Does nothing when there is no such file. */
  remove(path: string): Promise<void>;
  /** Mode 0700; does nothing when it exists. */
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
