// By this name Node loads them at their first use, and most commands use none.
import { mkdirSync, promises as fs, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Files } from '../../core/context.ts';
import { Failure, localFile, usage } from '../../core/failure.ts';
import { errorReason } from '../../core/file-errors.ts';
import { makeDirectory } from '../../core/make-directory.ts';
import { absolutePath } from './absolute-path.ts';
import { collect, readBytes } from './read-bytes.ts';
import type { Input, World } from '../world.ts';

/** The user's files, relative to the directory berth runs in. A read ends early when the command is interrupted. */
export function openFiles(world: Pick<World, 'stdin' | 'cwd'>, signal: AbortSignal): Files {
  const at = (path: string): string => {
    if (path === '') throw usage('the name of a file is empty', 'Name a file, or - for stdin.');
    return absolutePath(world, path);
  };
  return {
    read: async (path) => {
      try {
        return path === '-' ? await readInput(world.stdin, signal) : await readWhole(path, at(path), signal);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw error instanceof Failure ? error : unreadable(path, error);
      }
    },
    write: async (path, text, { mode, makeParents = false } = {}) => {
      try {
        if (makeParents) makeDirectory({ mkdirSync, statSync, dirname }, dirname(at(path)));
        await writeWhole(at(path), text, mode);
      } catch (error) {
        throw error instanceof Failure
          ? error
          : localFile(
              `cannot write ${path}: ${errorReason(error)}`,
              'Check its name, its permissions and the room on the disk.',
              error,
            );
      }
    },
    exists: (path) =>
      fs.access(at(path)).then(
        () => true,
        () => false,
      ),
  };
}

/** No input of berth is anywhere near: what has more is endless, or the wrong file. Bytes. */
const MOST = 256 * 1024 * 1024;

async function readWhole(path: string, place: string, signal: AbortSignal): Promise<Uint8Array> {
  const bytes = await collect(readBytes(place, signal), MOST);
  if (bytes !== undefined) return bytes;
  throw localFile(`cannot read ${path}: it has more than ${String(MOST)} bytes`, 'Name another file.');
}

async function readInput(stdin: Input, signal: AbortSignal): Promise<Uint8Array> {
  if (stdin.isTTY === true)
    throw usage('"-" reads standard input, which is a terminal here', 'Pipe the data in, or name a file.');
  const chunks: Buffer[] = [];
  const stop = (): void => {
    stdin.destroy(signal.reason as Error);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return Buffer.concat(chunks);
}

/** Whole or not at all, by way of a second file; straight where the target is a pipe or a device. */
async function writeWhole(path: string, text: string, mode: number | undefined): Promise<void> {
  const there = await fs.stat(path).catch(() => undefined);
  if (there !== undefined && !there.isFile()) {
    await fs.writeFile(path, text);
    return;
  }
  const { default: writeFileAtomic } = await import('write-file-atomic');
  await writeFileAtomic(path, text, mode === undefined ? {} : { mode });
}

const unreadable = (path: string, error: unknown): Failure =>
  localFile(
    `cannot read ${path === '-' ? 'standard input' : path}: ${errorReason(error)}`,
    path === '-' ? 'Pipe the data in, or name a file.' : 'Check its name and its permissions.',
    error,
  );
