import {
  close,
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsync,
  ftruncate,
  promises as fs,
  read,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { AppendFile, RangeFiles } from '../../core/context.ts';
import { localFile } from '../../core/failure.ts';
import { type FileLocks, type HeldLock } from '../../core/files.ts';
import { makeDirectory, openRegular } from '../../core/regular-files.ts';
import type { RangeWriter } from '../../core/file-ports.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { contentsOf, entryAt, listFolder, removeEmptyFolder, syncFolder } from './folders.ts';
import {
  absolutePath,
  CHUNK_BYTES,
  failureOf,
  readBytes,
  readStdin,
  resolvePath,
  wrapErrors,
  wrapErrorsOf,
} from './user-files.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** A read of stdin or a pipe rejects on interrupt. Every change first checks that a lock is still held. */
export function openDurable(
  runtime: Pick<Runtime, 'stdin' | 'cwd'> & Partial<Pick<Runtime, 'holdProgram'>>,
  signal: AbortSignal,
  locks: FileLocks,
): RangeFiles {
  const held = new Set<HeldLock>();
  const check = (): void => {
    for (const lock of held) lock.check();
  };
  const absolute = (path: string): string => absolutePath(runtime, path);
  /** Of a path here; a failure begins with `what` and names the path as given. */
  const on =
    <A extends readonly unknown[], T>(what: string, work: (absolute: string, ...rest: A) => T | Promise<T>) =>
    (path: string, ...rest: A): Promise<T> =>
      wrapErrors(`${what} ${path}`, async () => work(absolute(path), ...rest));
  const openOwn = (path: string, flags: number, mode = 0o600): number =>
    openRegular(absolute(path), { flags, mode, links: 'refused' });
  const opened = (path: string, flags: number, mode?: number): Promise<AppendFile> =>
    wrapErrors(`cannot open ${path}`, async () => {
      check();
      return appendTo(path, absolute(path), openOwn(path, flags, mode), check);
    });
  const takeLock = on('cannot lock', async (path, files: readonly string[] = []) => {
    const lock = await locks.take(path, { subject: 'this batch', waitMs: 0, files: files.map(absolute) });
    held.add(lock);
    return async () => {
      held.delete(lock);
      lock.release();
    };
  });
  return {
    absolute,
    resolve: (path) => wrapErrors(`cannot look at ${path}`, () => resolvePath(path, absolute(path))),
    size: on('cannot look at', (path) => statSync(path, { throwIfNoEntry: false })?.size),
    describe: on('cannot look at', (path) => {
      const found = entryAt(path, true);
      return found?.kind === 'file' ? { bytes: found.bytes, version: found.version } : undefined;
    }),
    lookAt: on('cannot look at', entryAt),
    entries: on('cannot list', listFolder),
    contents: (folder, followLinks) => wrapErrorsOf(`cannot list ${folder}`, contentsOf(absolute(folder), followLinks)),
    makeFolder: on('cannot create', (path) => {
      makeDirectory(path);
    }),
    read: (path, from) =>
      path === '-'
        ? readStdin(runtime.stdin, signal)
        : wrapErrorsOf(`cannot read ${path}`, readFrom(absolute(path), from, signal)),
    openRanges: (path, mode) =>
      wrapErrors(`cannot open ${path}`, async () =>
        rangeWriter(path, openOwn(path, constants.O_RDWR | constants.O_CREAT, mode)),
      ),
    setTime: on('cannot set the time of', (path, at: EpochMs) => {
      // Seconds. The system cuts to microseconds: one more keeps the millisecond.
      const time = at / 1000 + 1e-6;
      return fs.utimes(path, time, time);
    }),
    removeEmptyFolder: on('cannot remove', removeEmptyFolder),
    create: async (path, mode) => {
      const file = await opened(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
      await wrapErrors(`cannot keep ${path}`, () => syncFolder(dirname(absolute(path))));
      return file;
    },
    // Without O_APPEND: after `truncate`, writing continues at the new end.
    open: (path) => opened(path, constants.O_RDWR),
    replace: (from, to) =>
      wrapErrors(`cannot put ${from} in place of ${to}`, async () => {
        check();
        renameSync(absolute(from), absolute(to));
        await syncFolder(dirname(absolute(to)));
      }),
    remove: on('cannot remove', (path) => {
      check();
      rmSync(path, { force: true });
    }),
    lock: (path, files) => {
      // A command that holds a lock runs long: it must survive an upgrade of the program.
      runtime.holdProgram?.();
      return takeLock(path, files);
    },
    holder: on('cannot read', (path) => locks.holder(path)),
  };
}

/** A write may be short, for example when the disk is full: the next one then fails with the reason. */
function writeFully(descriptor: number, bytes: Uint8Array, at: number, onWritten?: (count: number) => void): void {
  // Synchronous: faster than starting another thread.
  for (let done = 0; done < bytes.byteLength;) {
    const count = writeSync(descriptor, bytes, done, bytes.byteLength - done, at + done);
    done += count;
    onWritten?.(count);
  }
}

const rangeWriter = (path: string, descriptor: number): RangeWriter => ({
  write: (bytes, at) => {
    try {
      writeFully(descriptor, bytes, at);
    } catch (error) {
      throw failureOf(`cannot write ${path}`, error);
    }
  },
  sync: () => wrapErrors(`cannot sync ${path}`, () => promisify(fdatasync)(descriptor)),
  finish: (bytes) =>
    wrapErrors(`cannot write ${path}`, async () => {
      if (fstatSync(descriptor).size !== bytes) await promisify(ftruncate)(descriptor, bytes);
      await promisify(fdatasync)(descriptor);
    }),
  close: () => wrapErrors(`cannot close ${path}`, () => promisify(close)(descriptor)),
});

/** Several writes share one sync. */
const SYNC_INTERVAL_MS: Milliseconds = 4;

/** `path` is the name for messages. */
function appendTo(path: string, absolute: string, descriptor: number, checkLocks: () => void): AppendFile {
  const { size, dev, ino } = fstatSync(descriptor);
  let end = size;
  // Synchronous: takes microseconds. A write to a removed or replaced file would be lost.
  const check = (): void => {
    // Before the locks: a process that takes over a lock also replaces the file, and must be named as cause.
    const found = statSync(absolute, { throwIfNoEntry: false });
    checkLocks();
    if (found?.dev !== dev || found.ino !== ino || found.size !== end)
      throw localFile(
        `${path} was removed or changed by another program`,
        'Leave the files of a batch alone while it runs.',
      );
  };
  const checked = (what: string, work: () => Promise<unknown> | undefined): Promise<void> =>
    wrapErrors(`${what} ${path}`, async () => {
      check();
      await work();
    });
  let syncedAt = Number.NEGATIVE_INFINITY;
  return {
    append: (bytes) =>
      checked('cannot write', () => {
        writeFully(descriptor, bytes, end, (count) => (end += count));
        return undefined;
      }),
    check: () => checked('cannot look at', () => undefined),
    sync: () =>
      wrapErrors(`cannot sync ${path}`, async () => {
        const waitMs = syncedAt + SYNC_INTERVAL_MS - performance.now();
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        await promisify(fdatasync)(descriptor);
        syncedAt = performance.now();
        // If the lock was lost meanwhile, a copy may have replaced the file.
        check();
      }),
    truncate: (to) =>
      checked('cannot cut', async () => {
        await promisify(ftruncate)(descriptor, to);
        await promisify(fsync)(descriptor);
        end = to;
      }),
    close: () => wrapErrors(`cannot close ${path}`, () => promisify(close)(descriptor)),
  };
}

/** Minimum read: a file may have grown. */
const PAGE_BYTES = 4096;

/** Read in the main thread, as it is opened there. */
const SMALL_BYTES = 64 * 1024;

/** Without `from` any kind of file, else a regular one. */
async function* readFrom(path: string, from: number | undefined, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  // Synchronous: takes microseconds; another thread takes many times that.
  const stats = statSync(path);
  if (!stats.isFile() && from === undefined) {
    try {
      yield* readBytes(path, signal);
    } finally {
      signal.throwIfAborted();
    }
    return;
  }
  const descriptor = openRegular(path, { flags: constants.O_RDONLY, links: 'followed' });
  try {
    let at = from ?? 0;
    // Not larger than the rest: many small files would otherwise need much memory for a moment.
    const most = Math.min(CHUNK_BYTES, Math.max(stats.size - at, PAGE_BYTES));
    do {
      const buffer = Buffer.allocUnsafeSlow(most);
      const bytesRead =
        most <= SMALL_BYTES
          ? readSync(descriptor, buffer, 0, most, at)
          : (await promisify(read)(descriptor, buffer, 0, most, at)).bytesRead;
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    } while (at !== stats.size);
  } finally {
    closeSync(descriptor);
  }
}
