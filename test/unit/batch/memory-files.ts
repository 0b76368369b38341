import type { AppendFile, DurableFiles, LockHolder } from '../../../src/core/context.ts';
import { localFile } from '../../../src/core/failure.ts';

/** What a disk does with a write of so many bytes to a file: takes some of them, and then perhaps an error. */
export type Disk = (path: string, bytes: number) => { readonly takes: number; readonly error?: string };

export interface MemoryFiles extends DurableFiles {
  readonly files: Map<string, Buffer>;
  /** Decides over each write, and by `syncs` over each sync. */
  disk: Disk | undefined;
  syncs: ((path: string) => string | undefined) | undefined;
  text(path: string): string;
  /** Called after each thing that changed a file: a point at which the process may end. */
  onChange: (() => void) | undefined;
}

const fail = (path: string, code: string): Error => localFile(`cannot write ${path}: ${code}`);

/** Files in memory, on a disk that fails when a test says so. */
export function memoryFiles(initial: Readonly<Record<string, string | Uint8Array>> = {}): MemoryFiles {
  const files = new Map(Object.entries(initial).map(([path, content]) => [path, Buffer.from(content)]));
  const locks = new Map<string, LockHolder>();
  const changed = (): void => self.onChange?.();

  const opened = (path: string): AppendFile => ({
    append: async (bytes) => {
      await Promise.resolve();
      const verdict = self.disk?.(path, bytes.byteLength) ?? { takes: bytes.byteLength };
      files.set(path, Buffer.concat([files.get(path) ?? Buffer.alloc(0), bytes.subarray(0, verdict.takes)]));
      changed();
      if (verdict.error !== undefined) throw fail(path, verdict.error);
    },
    sync: async () => {
      await Promise.resolve();
      const error = self.syncs?.(path);
      if (error !== undefined) throw fail(path, error);
      changed();
    },
    truncate: async (size) => {
      files.set(path, (files.get(path) ?? Buffer.alloc(0)).subarray(0, size));
      changed();
    },
    close: async () => undefined,
  });

  const self: MemoryFiles = {
    files,
    disk: undefined,
    syncs: undefined,
    onChange: undefined,
    text: (path) => files.get(path)?.toString('utf8') ?? '',
    size: async (path) => files.get(path)?.byteLength,
    async *read(path, from = 0) {
      const content = files.get(path);
      if (content === undefined) throw localFile(`cannot read ${path}`);
      await Promise.resolve();
      // Pieces of an awkward size, so that lines lie across them.
      for (let at = from; at < content.byteLength; at += 37) yield Buffer.from(content.subarray(at, at + 37));
    },
    create: async (path) => {
      if (files.has(path)) throw fail(path, 'EEXIST');
      files.set(path, Buffer.alloc(0));
      return opened(path);
    },
    open: async (path) => {
      if (!files.has(path)) throw fail(path, 'ENOENT');
      return opened(path);
    },
    replace: async (from, to) => {
      files.set(to, files.get(from) ?? Buffer.alloc(0));
      files.delete(from);
      changed();
    },
    remove: async (path) => {
      files.delete(path);
    },
    lock: async (path) => {
      const holder = locks.get(path);
      if (holder !== undefined)
        throw localFile(`another berth is at work on this batch: process ${String(holder.pid)}`);
      locks.set(path, { pid: 4711, host: 'here' });
      return async () => {
        locks.delete(path);
      };
    },
    holder: async (path) => locks.get(path),
  };
  return self;
}

/** The same files after the process was killed: as they lie on the disk, and no lock that counts. */
export const afterKill = (before: MemoryFiles): MemoryFiles => memoryFiles(Object.fromEntries(before.files));
