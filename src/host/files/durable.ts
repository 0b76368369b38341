import { fdatasync, promises as fs, statSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AppendFile, DurableFiles } from '../../core/context.ts';
import { Failure, localFile, usage } from '../../core/failure.ts';
import { errorReason } from '../../core/file-errors.ts';
import type { FileLocks, HeldLock } from '../../core/locks.ts';
import { absolutePath } from './absolute-path.ts';
import { readBytes } from './read-bytes.ts';
import { placeOf } from './resolve-path.ts';
import type { World } from '../world.ts';

/** Bytes read at a time. */
const PIECE = 256 * 1024;

/**
 * Files that outlast a crash, relative to the directory berth runs in. Standard input ends early, with the signal's
 * reason, when the command is interrupted. While a lock is held, every change first makes sure that it still is.
 */
export function openDurable(
  world: Pick<World, 'stdin' | 'cwd'> & Partial<Pick<World, 'holdProgram'>>,
  signal: AbortSignal,
  locks: FileLocks,
): DurableFiles {
  const held = new Set<HeldLock>();
  const check = (): void => {
    for (const lock of held) lock.check();
  };
  const at = (path: string): string => absolutePath(world, path);
  const opened = (path: string, flags: string): Promise<AppendFile> =>
    told(`cannot open ${path}`, async () => {
      check();
      return appendTo(path, at(path), await fs.open(at(path), flags, 0o600), check);
    });
  return {
    absolute: at,
    resolvePath: (path) => told(`cannot look at ${path}`, () => placeOf(path, at(path))),
    size: (path) => told(`cannot look at ${path}`, () => sizeOf(at(path))),
    read: (path, from = 0) => (path === '-' ? readInput(world, signal) : readFile(path, at(path), from, signal)),
    create: async (path) => {
      const file = await opened(path, 'wx');
      await told(`cannot keep ${path}`, () => syncFolder(dirname(at(path))));
      return file;
    },
    // Not for appending in the system's sense: a file that was cut is written where it was cut.
    open: (path) => opened(path, 'r+'),
    replace: (from, to) =>
      told(`cannot put ${from} in place of ${to}`, async () => {
        check();
        await fs.rename(at(from), at(to));
        await syncFolder(dirname(at(to)));
      }),
    remove: (path) =>
      told(`cannot remove ${path}`, async () => {
        check();
        await fs.rm(at(path), { force: true });
      }),
    lock: (path, files = []) =>
      told(`cannot lock ${path}`, async () => {
        // Whoever holds a lock works for long.
        world.holdProgram?.();
        const lock = await locks.take(at(path), { subject: 'this batch', waitMs: 0, files: files.map(at) });
        held.add(lock);
        return async () => {
          held.delete(lock);
          lock.release();
        };
      }),
    holder: (path) => told(`cannot read ${path}`, () => locks.holder(at(path))),
  };
}

/** A disk is asked to sync a file this often at most, in milliseconds: whoever comes meanwhile goes together. */
const SYNC_EVERY_MS = 1;

async function appendTo(path: string, place: string, handle: FileHandle, checkLocks: () => void): Promise<AppendFile> {
  const { size, dev, ino } = await handle.stat();
  let end = size;
  // A few microseconds, without leaving the thread. A write to a file that nobody can find any more would be lost.
  const check = (): void => {
    checkLocks();
    const found = statSync(place, { throwIfNoEntry: false });
    if (found === undefined) throw disturbed(`${path} was removed`);
    if (found.dev !== dev || found.ino !== ino) throw disturbed(`${path} was replaced by another file`);
    if (found.size !== end)
      throw disturbed(
        `${path} was changed by another program: it has ${String(found.size)} bytes, and ${String(end)} were written`,
      );
  };
  let syncedAt = Number.NEGATIVE_INFINITY;
  return {
    // Without leaving the thread: the system takes the bytes faster than another thread takes the order.
    append: (bytes) =>
      told(`cannot write ${path}`, async () => {
        check();
        // It may take less than it was offered, as on a disk that fills up: the next write then says why.
        for (let done = 0; done < bytes.byteLength;) {
          const taken = writeSync(handle.fd, bytes, done, bytes.byteLength - done, end);
          done += taken;
          end += taken;
        }
      }),
    check: () =>
      told(`cannot look at ${path}`, async () => {
        check();
      }),
    sync: () =>
      told(`cannot sync ${path}`, async () => {
        const early = syncedAt + SYNC_EVERY_MS - performance.now();
        if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
        await new Promise<void>((resolve, reject) => {
          fdatasync(handle.fd, (error) => {
            if (error === null) resolve();
            else reject(error);
          });
        });
        syncedAt = performance.now();
        // What is on the disk counts only while the lock is held: what was written may be a file nobody reads any more.
        check();
      }),
    truncate: (size) =>
      told(`cannot cut ${path}`, async () => {
        check();
        await handle.truncate(size);
        await handle.sync();
        end = size;
      }),
    close: () => told(`cannot close ${path}`, () => handle.close()),
  };
}

async function* readFile(path: string, place: string, from: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  // A pipe knows no places.
  const placed = (await told(`cannot read ${path}`, () => fs.stat(place))).isFile();
  if (!placed) {
    yield* readPieces(path, readBytes(place, signal), signal);
    return;
  }
  const handle = await told(`cannot read ${path}`, () => fs.open(place, 'r'));
  try {
    for (let at = from; ;) {
      const piece = Buffer.allocUnsafe(PIECE);
      const { bytesRead } = await told(`cannot read ${path}`, () => handle.read(piece, 0, PIECE, at));
      if (bytesRead === 0) return;
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function* readPieces(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    await told(`cannot read ${path}`, () => Promise.reject(error as Error));
  }
}

async function* readInput({ stdin }: Pick<World, 'stdin'>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (stdin.isTTY === true)
    throw usage('"-" reads standard input, which is a terminal here', 'Pipe the data in, or name a file.');
  const stop = (): void => {
    stdin.destroy(signal.reason as Error);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stdin) yield Buffer.from(chunk as Uint8Array);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function sizeOf(place: string): Promise<number | undefined> {
  try {
    return (await fs.stat(place)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const disturbed = (message: string): Failure => localFile(message, 'Leave the files of a batch alone while it runs.');

/** A new name is on the disk when its folder is. Where a system knows no such thing there is nothing to do. */
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
    // Some file systems refuse to sync a folder.
  } finally {
    await handle.close();
  }
}

/** Trouble with a file as the Failure it is. */
async function told<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw localFile(
      `${what}: ${errorReason(error)}`,
      'Check its name, its permissions and the room on the disk.',
      error,
    );
  }
}
