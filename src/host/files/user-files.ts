import { constants, createReadStream, lstatSync, openSync, promises as fs, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Files, ResolvedPath } from '../../core/context.ts';
import { asError, Failure, localFile, usage } from '../../core/failure.ts';
import { collectBytes, errorCode, errorHint, errorReason } from '../../core/files.ts';
import { makeDirectory } from '../../core/regular-files.ts';
import type { Bytes } from '../../core/unit-types.ts';
import type { Input, Runtime } from '../runtime/runtime.ts';

/** Links are not followed. For a relative path local-file (14) when the working directory was removed. */
export const absolutePath = (runtime: { readonly cwd: string }, path: string): string =>
  isAbsolute(path) ? resolve(path) : resolve(runtime.cwd, path);

export const CHUNK_BYTES = 256 * 1024;

/** Opens a named pipe non-blocking: a blocking open could not be interrupted. */
export async function* readBytes(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const stats = await fs.stat(path);
  // In the single executable a socket gets nothing from a pipe that is opened as a file.
  if (stats.isFIFO() && process.versions['bun'] === undefined) {
    const { Socket } = await import('node:net');
    signal.throwIfAborted();
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    yield* chunksOf(new Socket({ fd: descriptor, readable: true, writable: false }), signal);
  } else yield* createReadStream(path, { highWaterMark: CHUNK_BYTES, signal });
}

/** Rejects with the signal's reason on abort. */
async function* chunksOf(stream: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const stop = (): void => {
    stream.destroy(asError(signal.reason));
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stream) yield Buffer.from(chunk as Uint8Array);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Rejects with the signal's reason on abort; usage (2) when stdin is a terminal. */
export async function* readStdin(stdin: Input, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (stdin.isTTY === true)
    throw usage('"-" reads standard input, which is a terminal here', 'Pipe the data in, or name a file.');
  yield* chunksOf(stdin, signal);
}

/** Follows links but opens nothing: opening a pipe has an effect. Fails as the system does (link loops). */
export async function resolvePath(path: string, absolute: string): Promise<ResolvedPath> {
  // Synchronous: faster than starting another thread.
  const isLink = (await ifExists(async () => lstatSync(absolute)))?.isSymbolicLink() === true;
  const target = await ifExists(async () => statSync(absolute));
  if (target?.isFile() === true) return { path: isLink ? await fs.realpath(absolute) : path, kind: 'file' };
  if (target !== undefined) return { path, kind: target.isDirectory() ? 'directory' : 'other' };
  if (isLink) {
    const missing = resolve(await fs.realpath(dirname(absolute)), await fs.readlink(absolute));
    return resolvePath(missing, missing);
  }
  const folder = await ifExists(async () => statSync(dirname(absolute)));
  return { path, kind: folder?.isDirectory() === true ? 'nothing' : 'no-folder' };
}

export async function ifExists<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

export function openFiles(runtime: Pick<Runtime, 'stdin' | 'cwd'>, signal: AbortSignal): Files {
  const absolute = (path: string): string => {
    if (path === '') throw usage('the name of a file is empty', 'Name a file, or - for stdin.');
    return absolutePath(runtime, path);
  };
  return {
    read: async (path) =>
      path === '-'
        ? await wrapErrors('cannot read standard input', () => readAll(path, readStdin(runtime.stdin, signal), signal))
        : await wrapErrors(`cannot read ${path}`, () =>
            readAll(path, readBytes(absolute(path), signal), signal, MAX_BYTES),
          ),
    write: (path, text, { mode, makeParents = false } = {}) =>
      wrapErrors(`cannot write ${path}`, async () => {
        if (makeParents) makeDirectory(dirname(absolute(path)));
        await writeAtomically(absolute(path), text, mode);
      }),
    mode: async (path) => {
      const stats = await fs.stat(absolute(path)).catch(() => undefined);
      return stats?.isFile() === true ? stats.mode & 0o777 : undefined;
    },
  };
}

/** An endless device or a wrong file must not fill the memory. */
const MAX_BYTES: Bytes = 256 * 1024 * 1024;

const MAX_KEY_BYTES: Bytes = 64 * 1024;

/** Its owner and mode are those that a container or a CI gives it. Local-file (14). */
export const readKeyFile = (runtime: Pick<Runtime, 'cwd'>, path: string, signal: AbortSignal): Promise<string> =>
  wrapErrors(`cannot use the key file ${path} of BERTH_API_KEY_FILE`, async () => {
    const shown = `the key file ${path} of BERTH_API_KEY_FILE`;
    const bytes = await readAll(shown, readBytes(absolutePath(runtime, path), signal), signal, MAX_KEY_BYTES);
    return bytes.toString('utf8').replace(/^\uFEFF/, '');
  });

async function readAll(
  shown: string,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  maxBytes: Bytes = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  const bytes = await collectBytes(chunks, maxBytes).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
  if (bytes === undefined) throw localFile(`${shown} has more than ${String(maxBytes)} bytes`, 'Name another file.');
  return bytes;
}

/** Through a link, its target. A device, or a pipe that is read, is written directly. */
async function writeAtomically(path: string, text: string, mode: number | undefined): Promise<void> {
  const { path: target, kind } = await resolvePath(path, path);
  if (kind === 'other') {
    // A blocking open would wait for the pipe's reader and could not be interrupted.
    const opened = await fs.open(path, constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      await fs.writeFile(path, text);
    } finally {
      await opened.close();
    }
    return;
  }
  const { default: writeFileAtomic } = await import('write-file-atomic');
  // Its own write takes a short one, as on a full disk, for a complete one.
  const tmpfileCreated = (temporary: string): void => {
    writeFileSync(temporary, text);
  };
  await writeFileAtomic(target, '', { tmpfileCreated, ...(mode !== undefined && { mode }) });
}

/** Local-file (14); the message begins with `what`. */
export async function wrapErrors<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureOf(what, error);
  }
}

export async function* wrapErrorsOf<T>(what: string, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw failureOf(what, error);
  }
}

export const failureOf = (what: string, error: unknown): Failure =>
  error instanceof Failure ? error : localFile(`${what}: ${errorReason(error)}`, errorHint(error), error);
