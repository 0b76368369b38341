import type { AppendFile, DurableFiles, LockHolder } from '../../../src/core/context.ts';
import { localFile } from '../../../src/core/failure.ts';

/** What a disk does with a write of so many bytes to a file: takes some of them, and then perhaps an error. */
export type Disk = (path: string, bytes: number) => { readonly takes: number; readonly error?: string };

export interface MemoryFiles extends DurableFiles {
  readonly files: Map<string, Buffer>;
  /** The same files as the disk has them: without what was written since they were synced. */
  readonly synced: Map<string, Buffer>;
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
  const synced = new Map(files);
  const locks = new Map<string, LockHolder>();
  const changed = (): void => self.onChange?.();

  const opened = (path: string): AppendFile => ({
    check: async () => {
      if (!files.has(path)) throw localFile(`${path} was removed`);
    },
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
      synced.set(path, files.get(path) ?? Buffer.alloc(0));
      changed();
    },
    truncate: async (size) => {
      files.set(path, (files.get(path) ?? Buffer.alloc(0)).subarray(0, size));
      synced.set(path, files.get(path) ?? Buffer.alloc(0));
      changed();
    },
    close: async () => undefined,
  });

  const self: MemoryFiles = {
    files,
    synced,
    disk: undefined,
    syncs: undefined,
    onChange: undefined,
    text: (path) => files.get(path)?.toString('utf8') ?? '',
    absolute: (path) => `/${path}`,
    resolve: async (path) => ({ path, kind: files.has(path) ? 'file' : 'nothing' }),
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
      synced.set(path, Buffer.alloc(0));
      return opened(path);
    },
    open: async (path) => {
      if (!files.has(path)) throw fail(path, 'ENOENT');
      return opened(path);
    },
    replace: async (from, to) => {
      for (const each of [files, synced]) {
        each.set(to, each.get(from) ?? Buffer.alloc(0));
        each.delete(from);
      }
      changed();
    },
    remove: async (path) => {
      files.delete(path);
      synced.delete(path);
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

/** The same files after the process was killed: as they lie there, and no lock that counts. */
export const afterKill = (before: MemoryFiles): MemoryFiles => memoryFiles(Object.fromEntries(before.files));

/** The same files after the machine lost its power: nothing but what was synced. */
export const afterPowerCut = (before: MemoryFiles): MemoryFiles => memoryFiles(Object.fromEntries(before.synced));

export interface KillableFiles extends DurableFiles {
  /** What the process did to its files, in order; the last one killed it, unless it lived to the end. */
  readonly done: readonly string[];
  readonly alive: () => boolean;
}

/**
 * Files in the hands of a process that is killed at the n-th thing it does to them. Of a write at that moment half is
 * done, of anything else nothing; from then on it does nothing more.
 */
export function createKillableFiles(files: MemoryFiles, killedAt: number): KillableFiles {
  const done: string[] = [];
  const alive = (): boolean => done.length < killedAt;
  const killed = (): Error => localFile('killed');
  const live = async <T>(what: string, work: () => Promise<T>, half?: () => Promise<void>): Promise<T> => {
    if (!alive()) throw killed();
    done.push(what);
    if (alive()) return work();
    await half?.();
    throw killed();
  };
  const held = (path: string, file: AppendFile): AppendFile => ({
    append: (bytes) =>
      live(
        `append ${path}`,
        () => file.append(bytes),
        () => file.append(bytes.subarray(0, bytes.byteLength / 2)),
      ),
    check: () => file.check(),
    sync: () => live(`sync ${path}`, () => file.sync()),
    truncate: (size) => live(`truncate ${path}`, () => file.truncate(size)),
    close: () => file.close(),
  });
  return {
    done,
    alive,
    absolute: (path) => files.absolute(path),
    resolve: (path) => files.resolve(path),
    size: (path) => files.size(path),
    read: (path, from) => files.read(path, from),
    create: (path) => live(`create ${path}`, async () => held(path, await files.create(path))),
    open: async (path) => held(path, await files.open(path)),
    replace: (from, to) => live(`replace ${from}`, () => files.replace(from, to)),
    remove: (path) => live(`remove ${path}`, () => files.remove(path)),
    lock: (path) =>
      live(`lock ${path}`, async () => {
        const release = await files.lock(path);
        return () => live(`release ${path}`, release);
      }),
    holder: (path) => files.holder(path),
  };
}
