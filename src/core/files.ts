import { type Failure, localFile, messageOf } from './failure.ts';
import type { LockHolder } from './file-ports.ts';
import { berth, sentence } from './message.ts';
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
  EFBIG: 'it may not grow any larger (ulimit -f, or a limit of the file system)',
  EMFILE: 'too many files are open (ulimit -n)',
  ENFILE: 'too many files are open on this machine',
  EIO: 'the disk reports an error',
  EROFS: 'the file system is read-only',
  ENXIO: 'it is a socket, or a pipe that nobody reads',
};

export function errorReason(error: unknown): string {
  const code = errorCode(error);
  if (code === undefined) return messageOf(error);
  return REASONS[code] ?? code;
}

const HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'Check its name.',
  ENOTDIR: 'Check its name.',
  EISDIR: 'Check its name.',
  ELOOP: 'Check its name.',
  ENAMETOOLONG: 'Check its name.',
  EACCES: 'Check its permissions, and those of the folders above it.',
  EPERM: 'Check its permissions, and those of the folders above it.',
  ENOSPC: 'Free space on the disk.',
  EDQUOT: 'Free space on the disk.',
};

export const errorHint = (error: unknown): string =>
  HINTS[errorCode(error) ?? ''] ?? 'Check its name, its permissions and the free space on the disk.';

export function errorCode(error: unknown): string | undefined {
  // Not `instanceof`: what Node throws for a script that runs in another context is no `Error` of this one.
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
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

/** Yields the same bytes in blocks of exactly this size; the last one may be shorter, and none is empty. */
export async function* blocksOf(chunks: AsyncIterable<Uint8Array>, size: Bytes): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let missing = size;
  for await (let chunk of chunks) {
    while (chunk.byteLength >= missing) {
      yield Buffer.concat([...held, chunk.subarray(0, missing)]);
      chunk = chunk.subarray(missing);
      [held, missing] = [[], size];
    }
    if (chunk.byteLength === 0) continue;
    held.push(chunk);
    missing -= chunk.byteLength;
  }
  if (held.length > 0) yield Buffer.concat(held);
}

/** The file system functions that `openRegular` needs. A flag that the system does not have is undefined. */
interface OpenSystem {
  openSync(path: string, flags: number, mode: number): number;
  fstatSync(descriptor: number): { isFile(): boolean };
  closeSync(descriptor: number): void;
  lstatSync(path: string, options: { readonly throwIfNoEntry: false }): unknown;
  readonly constants: { readonly O_NOFOLLOW?: number; readonly O_NONBLOCK?: number };
}

interface OpenWanted {
  readonly flags: number;
  /** The permissions of a file that is created, before the mask of the process; default 0600. */
  readonly mode?: number;
  /** Whether a link to a file may be there: it is not where berth writes, because its target may be another program's. */
  readonly links: 'followed' | 'refused';
  /** The error when something else is there; local-file (14) with the path by default. */
  readonly refuse?: (why: string) => Failure;
}

/** Never blocks, even on a pipe without a peer. Fails as `refuse` says for anything but a regular file. */
export function openRegular(
  system: OpenSystem,
  path: string,
  { flags, mode = 0o600, links, refuse = refusalOf(path) }: OpenWanted,
): number {
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = system.constants;
  let descriptor: number;
  try {
    descriptor = system.openSync(path, flags | O_NONBLOCK | (links === 'refused' ? O_NOFOLLOW : 0), mode);
  } catch (error) {
    if (errorCode(error) === 'ELOOP' && links === 'refused') throw refuse('it is a link');
    // Not the same as no file: a new file would replace the link, or be somewhere else.
    if (errorCode(error) === 'ENOENT' && system.lstatSync(path, { throwIfNoEntry: false }) !== undefined)
      throw refuse('it is a link to nowhere');
    // A socket, or a pipe that nobody reads.
    if (errorCode(error) === 'ENXIO') throw refuse(NOT_REGULAR);
    throw error;
  }
  if (system.fstatSync(descriptor).isFile()) return descriptor;
  system.closeSync(descriptor);
  throw refuse(NOT_REGULAR);
}

const NOT_REGULAR = 'it is not a regular file';

export const refusalOf =
  (name: string) =>
  (why: string): Failure =>
    localFile(`cannot open ${name}: ${why}`, 'Name another place, or move it away.');

interface DirectorySystem {
  mkdirSync(path: string, options: { readonly mode: number }): unknown;
  statSync(path: string, options: { readonly throwIfNoEntry: false }): { isDirectory(): boolean } | undefined;
  dirname(path: string): string;
}

/** Node's recursive mkdir never returns below a read-only parent such as /proc. Fails with local-file (14). */
export function makeDirectory(system: DirectorySystem, path: string, mode = 0o777): void {
  try {
    if (system.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
    make(system, path, mode, true);
  } catch (error) {
    throw unusable(path, error);
  }
}

function make(system: DirectorySystem, path: string, mode: number, withParents: boolean): void {
  try {
    system.mkdirSync(path, { mode });
  } catch (error) {
    const parent = system.dirname(path);
    if (errorCode(error) === 'ENOENT' && withParents && parent !== path) {
      make(system, parent, mode, true);
      make(system, path, mode, false);
      return;
    }
    // Another process may have created it meanwhile.
    if (system.statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

function unusable(path: string, error: unknown): Failure {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'the system does not allow a directory there',
    EEXIST: 'what is there is not a directory',
  };
  return localFile(
    `cannot use the directory ${path}: ${reasons[errorCode(error) ?? ''] ?? errorReason(error)}`,
    sentence`Name another, or make this one usable. To see where each comes from: ${berth`config list`}`,
    error,
  );
}

export interface Ownership {
  readonly uid: number;
  readonly mode: number;
  isDirectory(): boolean;
}

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
const ROOT = 0;

/** Undefined when only this user and root can change it. The sticky bit makes /tmp acceptable. */
export function whyForeign(stats: Ownership, user: number | undefined): string | undefined {
  if (user === undefined) return undefined;
  const { uid, mode } = stats;
  if (uid !== user && uid !== ROOT) return `belongs to another user (number ${String(uid)})`;
  const isShared = (mode & WRITABLE_BY_OTHERS) !== 0 && !(stats.isDirectory() && (mode & STICKY) !== 0);
  return isShared ? `may be changed by other users (mode ${(mode & 0o7777).toString(8).padStart(4, '0')})` : undefined;
}

export const MAKE_IT_YOURS = 'Make it yours (chown) and writable for you alone (chmod go-w), or use another one.';

export interface HeldLock {
  /** Write here, then rename: after another process takes the lock, the rename fails with ENOENT. */
  readonly folder: string;
  /** Fails with local-file (14) when another process has taken the lock over. Call it before every write. */
  check(): void;
  /** Releases the lock. Never fails. Does nothing when the lock was taken over. */
  release(): void;
}

interface LockOptions {
  readonly subject: string;
  readonly waitMs: Milliseconds;
  /** Files written in place: replaced by copies on takeover, in case the old holder is only suspended. */
  readonly files?: readonly string[];
}

/** Locks between processes, also across containers and machines that share a file system. */
export interface FileLocks {
  /** Takes over the lock of a dead holder. Fails with local-file (14) after `waitMs` if it is alive. */
  take(path: string, options: LockOptions): Promise<HeldLock>;
  /** The holder of the lock; undefined when there is none. When only a heartbeat can tell, this takes seconds. */
  holder(path: string): Promise<LockHolder | undefined>;
}
