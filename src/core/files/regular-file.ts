import { localFile, type Failure } from '../failure.ts';
import { errorCode } from './file-errors.ts';

/** The file system functions that `openRegular` needs. A flag that the system does not have is undefined. */
export interface OpenSystem {
  openSync(path: string, flags: number, mode: number): number;
  fstatSync(descriptor: number): { isFile(): boolean };
  closeSync(descriptor: number): void;
  lstatSync(path: string, options: { readonly throwIfNoEntry: false }): unknown;
  readonly constants: { readonly O_NOFOLLOW?: number; readonly O_NONBLOCK?: number };
}

export interface OpenWanted {
  /** As `open` of the system takes them. */
  readonly flags: number;
  /** The permissions of a file that is created, before the mask of the process; default 0600. */
  readonly mode?: number;
  /** Whether a link to a file may be there: it is not where berth writes, because its target may be another program's. */
  readonly links: 'followed' | 'refused';
  /** The error when something else is there; local-file (14) with the path by default. */
  readonly refuse?: (why: string) => Failure;
}

/**
 * Opens a regular file and returns its descriptor. Never waits: a pipe has perhaps nobody at its other end. Fails as
 * `refuse` says for anything but a regular file, and else as the system does.
 */
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

/** The error for a file that messages call `name`. */
export const refusalOf =
  (name: string) =>
  (why: string): Failure =>
    localFile(`cannot open ${name}: ${why}`, 'Name another place, or move it away.');
