import { localFile } from '../failure.ts';
import { errorCode, errorHint, errorReason } from '../files.ts';

/** Error codes for a program file that cannot be loaded: the launcher's, and Node's. */
const CANNOT_LOAD = ['BERTH_CANNOT_LOAD', 'MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'];

/** Error codes for too many open files, which can happen at any file. */
const FILE_LIMIT_CODES = ['EMFILE', 'ENFILE'];

/** Any write can fail so, also one that nobody expects to. */
const FULL_DISK_CODES = ['ENOSPC', 'EDQUOT'];

const MORE_FILES = 'Allow more open files: ulimit -n 256';

/** A full disk, too many open files and unloadable program files become local-file (14); other errors pass unchanged. */
export function toFailure(error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined) return error;
  if (FILE_LIMIT_CODES.includes(code)) return localFile(`cannot go on: ${errorReason(error)}`, MORE_FILES, error);
  if (FULL_DISK_CODES.includes(code)) return localFile(`cannot go on: ${errorReason(error)}`, errorHint(error), error);
  if (!CANNOT_LOAD.includes(code)) return error;
  const reason = typeof error === 'object' && error !== null && 'reason' in error ? error.reason : undefined;
  if (typeof reason === 'string' && FILE_LIMIT_CODES.includes(reason))
    return localFile('cannot load a part of berth: too many files are open', MORE_FILES, error);
  return localFile(
    'cannot load a part of berth: it was replaced or removed while it ran',
    'Run the command again.',
    error,
  );
}
