// A named import of `promises`: Node loads its code at the first use, and most commands do not use it.
import { constants, mkdirSync, promises as fs, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { collectBytes } from '../../core/files/byte-streams.ts';
import type { Files } from '../../core/context.ts';
import { Failure, localFile, usage } from '../../core/failure.ts';
import { errorHint, errorReason } from '../../core/files/file-errors.ts';
import { makeDirectory } from '../../core/files/make-directory.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { absolutePath } from './absolute-path.ts';
import { readBytes } from './read-bytes.ts';
import { readStdin } from './read-stdin.ts';
import { resolvePath } from './resolve-path.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** Opens the user's files, relative to the working directory. A read ends early when the command is interrupted. */
export function openFiles(runtime: Pick<Runtime, 'stdin' | 'cwd'>, signal: AbortSignal): Files {
  const absolute = (path: string): string => {
    if (path === '') throw usage('the name of a file is empty', 'Name a file, or - for stdin.');
    return absolutePath(runtime, path);
  };
  return {
    read: async (path) => {
      try {
        return path === '-'
          ? await readWhole(path, readStdin(runtime.stdin, signal), Number.POSITIVE_INFINITY)
          : await readWhole(path, readBytes(absolute(path), signal), MAX_BYTES);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw error instanceof Failure ? error : unreadable(path, error);
      }
    },
    write: async (path, text, { mode, makeParents = false } = {}) => {
      try {
        if (makeParents) makeDirectory({ mkdirSync, statSync, dirname }, dirname(absolute(path)));
        await writeAtomically(absolute(path), text, mode);
      } catch (error) {
        throw error instanceof Failure
          ? error
          : localFile(`cannot write ${path}: ${errorReason(error)}`, errorHint(error), error);
      }
    },
    mode: (path) =>
      fs.stat(absolute(path)).then(
        (stats) => (stats.isFile() ? stats.mode & 0o777 : undefined),
        () => undefined,
      ),
  };
}

/** The largest file that is read: an endless device or a wrong file must not fill the memory. */
const MAX_BYTES: Bytes = 256 * 1024 * 1024;

async function readWhole(path: string, chunks: AsyncIterable<Uint8Array>, maxBytes: Bytes): Promise<Uint8Array> {
  const bytes = await collectBytes(chunks, maxBytes);
  if (bytes !== undefined) return bytes;
  throw localFile(`cannot read ${path}: it has more than ${String(maxBytes)} bytes`, 'Name another file.');
}

/** Writes a temporary file and renames it; through a link, the file that it leads to. A device, or a pipe that is read, is written directly. */
async function writeAtomically(path: string, text: string, mode: number | undefined): Promise<void> {
  const { path: target, kind } = await resolvePath(path, path);
  if (kind === 'other') {
    // A blocking open would wait for a reader of the pipe, and could not be interrupted.
    const opened = await fs.open(path, constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      await fs.writeFile(path, text);
    } finally {
      await opened.close();
    }
    return;
  }
  const { default: writeFileAtomic } = await import('write-file-atomic');
  await writeFileAtomic(target, text, mode === undefined ? {} : { mode });
}

const unreadable = (path: string, error: unknown): Failure =>
  localFile(
    `cannot read ${path === '-' ? 'standard input' : path}: ${errorReason(error)}`,
    path === '-' ? 'Pipe the data in, or name a file.' : 'Check its name and its permissions.',
    error,
  );
