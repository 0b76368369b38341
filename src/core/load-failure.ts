import { localFile } from './failure.ts';
import { errorCode, errorReason } from './file-errors.ts';

/** The launcher's word for a file of the program that cannot be loaded, and Node's own. */
const CANNOT_LOAD = ['BERTH_CANNOT_LOAD', 'MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'];

/** Limits of the system that may be met anywhere. */
const LIMITS = ['EMFILE', 'ENFILE'];

const MORE_FILES = 'Allow more open files: ulimit -n 256';

/**
 * An error that is trouble with the program's own files, or with how many files may be open, as local-file (14); any
 * other as it is.
 */
export function toFailure(error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined) return error;
  if (LIMITS.includes(code)) return localFile(`cannot go on: ${errorReason(error)}`, MORE_FILES, error);
  if (!CANNOT_LOAD.includes(code)) return error;
  const reason = (error as { readonly reason?: unknown }).reason;
  if (typeof reason === 'string' && LIMITS.includes(reason))
    return localFile('cannot load a part of berth: too many files are open', MORE_FILES, error);
  return localFile(
    'cannot load a part of berth: it was replaced or removed while it ran',
    'Run the command again.',
    error,
  );
}
