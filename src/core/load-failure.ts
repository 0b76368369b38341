import { localFile } from './failure.ts';
import { errorCode, errorHint, errorReason } from './files.ts';

/** A full disk, too many open files and unloadable program files become local-file (14); other errors pass unchanged. */
export function toFailure(error: unknown): unknown {
  const code = errorCode(error) ?? '';
  if (/^(EMFILE|ENFILE)$/.test(code))
    return localFile(`cannot go on: ${errorReason(error)}`, 'Allow more open files: ulimit -n 256', error);
  if (/^(ENOSPC|EDQUOT)$/.test(code)) return localFile(`cannot go on: ${errorReason(error)}`, errorHint(error), error);
  // The launcher's, and Node's.
  if (/^(BERTH_CANNOT_LOAD|MODULE_NOT_FOUND|ERR_MODULE_NOT_FOUND)$/.test(code))
    return localFile('cannot load a part of berth: it was replaced or removed', 'Run the command again.', error);
  return error;
}
