import { createHash } from 'node:crypto';
import type { AppendFile, DurableFiles, FolderEntry, LockHolder } from '../../../src/core/context.ts';
import { localFile } from '../../../src/core/failure.ts';

/** Decides the outcome of a write of `bytes` bytes: how many are written, and whether it then fails. */
export type Disk = (path: string, bytes: number) => { readonly takes: number; readonly error?: string };

export interface MemoryFiles extends DurableFiles {
  readonly files: Map<string, Buffer>;
  /** The content that survives a power cut: that of the last sync. */
  readonly synced: Map<string, Buffer>;
  /** Simulate failures: `disk` of each write, `syncs` of each sync. */
  disk: Disk | undefined;
  syncs: ((path: string) => string | undefined) | undefined;
  text(path: string): string;
  /** Called after each change of a file. */
  onChange: (() => void) | undefined;
}

const fail = (path: string, code: string): Error => localFile(`cannot write ${path}: ${code}`);

/** Files in memory, on a disk whose failures a test decides. */
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
    describe: async (path) => {
      const content = files.get(path);
      return content === undefined
        ? undefined
        : { bytes: content.byteLength, version: createHash('sha256').update(content).digest('hex') };
    },
    entries: async (folder) => {
      const prefix = folder === '.' ? '' : `${folder.replace(/\/$/, '')}/`;
      const names = [...files.keys()]
        .filter((path) => path.startsWith(prefix))
        .map((path) => path.slice(prefix.length));
      const found = names.map((name): readonly [string, FolderEntry['kind']] =>
        name.includes('/') ? [name.slice(0, name.indexOf('/')), 'folder'] : [name, 'file'],
      );
      return [...new Map(found)].map(([name, kind]) => ({ name, kind }));
    },
    makeFolder: async () => undefined,
    async *read(path, from = 0) {
      const content = files.get(path);
      if (content === undefined) throw localFile(`cannot read ${path}`);
      await Promise.resolve();
      // An odd chunk size, so that lines cross the chunks.
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
    openRanges: async (path) => {
      if (!files.has(path)) files.set(path, Buffer.alloc(0));
      return {
        write: (bytes, at) => {
          const verdict = self.disk?.(path, bytes.byteLength) ?? { takes: bytes.byteLength };
          const before = files.get(path) ?? Buffer.alloc(0);
          const content = Buffer.alloc(Math.max(before.byteLength, at + verdict.takes));
          before.copy(content);
          content.set(bytes.subarray(0, verdict.takes), at);
          files.set(path, content);
          // Without a sync too: a system may put on the disk at once what another one keeps in memory.
          synced.set(path, content);
          changed();
          if (verdict.error !== undefined) throw fail(path, verdict.error);
        },
        sync: async () => {
          const error = self.syncs?.(path);
          if (error !== undefined) throw fail(path, error);
        },
        finish: async () => undefined,
        close: async () => undefined,
      };
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

/** Returns the files as they are after the process was killed: every write is there, every lock is gone. */
export const afterKill = (before: MemoryFiles): MemoryFiles => memoryFiles(Object.fromEntries(before.files));

/** Returns the files as they are after a power cut: only what was synced. */
export const afterPowerCut = (before: MemoryFiles): MemoryFiles => memoryFiles(Object.fromEntries(before.synced));

export interface KillableFiles extends DurableFiles {
  /** The file operations so far, in order. The process was killed during the last one, unless it is alive. */
  readonly done: readonly string[];
  readonly alive: () => boolean;
}

/**
 * Returns the files as seen by a process that is killed during its `killedAt`-th file operation. A write at that moment is half
 * done, any other operation has no effect, and every later operation fails.
 */
export function createKillableFiles(files: MemoryFiles, killedAt: number): KillableFiles {
  const done: string[] = [];
  const alive = (): boolean => done.length < killedAt;
  const killed = (): Error => localFile('killed');
  const begin = (what: string): void => {
    if (!alive()) throw killed();
    done.push(what);
  };
  const live = async <T>(what: string, work: () => Promise<T>, half?: () => Promise<void>): Promise<T> => {
    begin(what);
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
    describe: (path) => files.describe(path),
    entries: (folder) => files.entries(folder),
    makeFolder: (path) => live(`make ${path}`, () => files.makeFolder(path)),
    read: (path, from) => files.read(path, from),
    create: (path) => live(`create ${path}`, async () => held(path, await files.create(path))),
    open: async (path) => held(path, await files.open(path)),
    openRanges: async (path, mode) => {
      const file = await live(`open ${path}`, () => files.openRanges(path, mode));
      return {
        ...file,
        // Too short to be half done.
        write: (bytes, at) => {
          begin(`write ${path}`);
          if (!alive()) throw killed();
          file.write(bytes, at);
        },
        sync: () => live(`sync ${path}`, () => file.sync()),
      };
    },
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

/** Runs a step over and over, killed at the first thing it does, at the second, until it lives to its end. */
export async function killedAtEach(step: (killedAt: number) => Promise<KillableFiles>): Promise<readonly string[]> {
  for (let killedAt = 1; ; killedAt++) {
    const { done, alive } = await step(killedAt);
    if (alive()) return done;
  }
}
