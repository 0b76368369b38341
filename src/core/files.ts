import { localFile, messageOf } from './failure.ts';
import type { LockHolder } from './file-ports.ts';
import type { Bytes, Milliseconds } from './unit-types.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EEXIST: 'it exists already',
  ENOTDIR: 'what is there is not a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EFBIG: 'it may not grow any larger (ulimit -f)',
  EMFILE: 'too many files are open (ulimit -n)',
  ENFILE: 'too many files are open on this machine',
  ELOOP: 'its symbolic links go in a circle',
  EROFS: 'the file system is read-only',
  ENXIO: 'it is a socket, or a pipe that nobody reads',
};

export function errorReason(error: unknown): string {
  const code = errorCode(error);
  return code === undefined ? messageOf(error) : (REASONS[code] ?? code);
}

export const errorHint = (error: unknown): string =>
  /^(ENOENT|ENOTDIR|EISDIR)$/.test(errorCode(error) ?? '')
    ? 'Check its name.'
    : 'Check its name, its permissions and the free space on the disk.';

export function errorCode(error: unknown): string | undefined {
  // Not `instanceof`: what Node throws for a script that runs in another context is no `Error` of this one.
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** A full disk, too many open files and unloadable program files become local-file (14); other errors pass unchanged. */
export function toFailure(error: unknown): unknown {
  const code = errorCode(error) ?? '';
  if (/^(EMFILE|ENFILE|ENOSPC|EDQUOT)$/.test(code))
    return localFile(`cannot continue: ${errorReason(error)}`, undefined, error);
  if (/^(BERTH_CANNOT_LOAD|MODULE_NOT_FOUND|ERR_MODULE_NOT_FOUND)$/.test(code))
    return localFile('cannot load a part of berth: it was replaced or removed', 'Run the command again.', error);
  return error;
}

/** Returns all bytes of a source; undefined when there are more than `maxBytes`, and then reads no further. */
export async function collectBytes(chunks: AsyncIterable<Uint8Array>, maxBytes: Bytes): Promise<Buffer | undefined> {
  const kept: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    kept.push(chunk);
  }
  return Buffer.concat(kept);
}

export interface HeldLock {
  /** Write here, then rename: after another process takes the lock, the rename fails with ENOENT. */
  readonly folder: string;
  /** Fails with local-file (14) when another process has taken the lock over. Call it before every write. */
  check(): void;
  /** Never fails. Does nothing when the lock was taken over. */
  release(): void;
}

/** Locks between processes, also across containers and machines that share a file system. */
export interface FileLocks {
  /**
   * Takes over the lock of a dead holder. Fails with local-file (14) after `waitMs` if it is alive. `files` are written in place:
   * replaced by copies on takeover, in case the old holder is only suspended.
   */
  take(
    path: string,
    options: { readonly subject: string; readonly waitMs: Milliseconds; readonly files?: readonly string[] },
  ): Promise<HeldLock>;
  holder(path: string): Promise<LockHolder | undefined>;
}
