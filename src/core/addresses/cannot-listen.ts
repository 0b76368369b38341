import { EXIT } from '../exit-codes.ts';
import { Failure, usage } from '../failure.ts';
import { errorCode } from '../files/file-errors.ts';

/** The failure (2) for a port that could not be opened, with what to do. */
export function cannotListen(error: Error, port: number): Failure {
  if (errorCode(error) === 'EADDRINUSE')
    return usage(`port ${String(port)} is in use`, 'Choose another one; --port 0 takes a free one.');
  if (errorCode(error) === 'EACCES')
    return usage(`port ${String(port)} is not allowed`, 'Choose one above 1023 with --port.');
  return new Failure({ code: 'usage', exit: EXIT.usage, message: `cannot listen: ${error.message}` }, error);
}
