import { messageOf } from '../failure.ts';

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

/** Says in words what a system error means. */
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

/** Says what to do about a system error with a file: one sentence. */
export const errorHint = (error: unknown): string =>
  HINTS[errorCode(error) ?? ''] ?? 'Check its name, its permissions and the free space on the disk.';

/** The code of a system error, such as `ENOENT`; undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  // Not `instanceof`: what Node throws for a script that runs in another context is no `Error` of this one.
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
