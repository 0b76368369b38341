import { closeSync, openSync } from 'node:fs';
import { errorCode } from '../../core/files/file-errors.ts';

/** Codes that a lookup or a connection can have that got no file descriptor: of the system's resolver, and of the executable's runtime. */
const MAY_BE_THE_LIMIT: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

/**
 * Returns EMFILE or ENFILE in place of the code of a failed connection when this process can open no file now. Returns any other
 * code unchanged.
 */
export function codeAtFileLimit(code: string): string {
  if (!MAY_BE_THE_LIMIT.includes(code)) return code;
  try {
    closeSync(openSync('/dev/null', 'r'));
    return code;
  } catch (error) {
    const found = errorCode(error);
    return found === 'EMFILE' || found === 'ENFILE' ? found : code;
  }
}
