/** For settings, the local service and host, which alone open files: depcruise keeps it so. */
import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, type Stats } from 'node:fs';
import { type Failure, localFile } from './failure.ts';
import { errorCode, errorReason } from './files.ts';
import { berth, sentence } from './message.ts';

interface OpenWanted {
  readonly flags: number;
  readonly mode?: number;
  /** Whether a link to a file may be there: it is not where berth writes, because its target may be another program's. */
  readonly links: 'followed' | 'refused';
  /** The error when something else is there; local-file (14) with the path by default. */
  readonly refuse?: (why: string) => Failure;
}

/** Never blocks, even on a pipe without a peer. Fails as `refuse` says for anything but a regular file. */
export function openRegular(
  path: string,
  { flags, mode = 0o600, links, refuse = refusalOf(path) }: OpenWanted,
): number {
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;
  let descriptor: number;
  try {
    descriptor = openSync(path, flags | O_NONBLOCK | (links === 'refused' ? O_NOFOLLOW : 0), mode);
  } catch (error) {
    if (errorCode(error) === 'ELOOP' && links === 'refused') throw refuse('it is a link');
    // Not the same as no file: a new file would replace the link, or be somewhere else.
    if (errorCode(error) === 'ENOENT' && lstatSync(path, { throwIfNoEntry: false }) !== undefined)
      throw refuse('it is a link to nowhere');
    throw error;
  }
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw refuse('it is not a regular file');
}

const refusalOf =
  (path: string) =>
  (why: string): Failure =>
    localFile(`cannot open ${path}: ${why}`, 'Name another place, or move it away.');

/** With its parents. Fails with local-file (14). */
export function makeDirectory(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { mode, recursive: true });
  } catch (error) {
    // Node says ENOENT also where a file system is read-only, and EEXIST where a file is in the way.
    const reason = { ENOENT: 'it cannot be made', EEXIST: 'a file is there' }[errorCode(error) ?? ''];
    throw localFile(
      `cannot use the directory ${path}: ${reason ?? errorReason(error)}`,
      sentence`Name another, or make this one usable. To see where each comes from: ${berth`config list`}`,
      error,
    );
  }
}

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
const ROOT = 0;

/** Undefined when only this user and root can change it. The sticky bit makes /tmp acceptable. */
export function whyForeign(
  stats: Pick<Stats, 'uid' | 'mode' | 'isDirectory'>,
  user: number | undefined,
): string | undefined {
  if (user === undefined) return undefined;
  const { uid, mode } = stats;
  if (uid !== user && uid !== ROOT) return `belongs to another user (number ${String(uid)})`;
  const isShared = (mode & WRITABLE_BY_OTHERS) !== 0 && !(stats.isDirectory() && (mode & STICKY) !== 0);
  return isShared ? `may be changed by other users (mode ${(mode & 0o7777).toString(8).padStart(4, '0')})` : undefined;
}
