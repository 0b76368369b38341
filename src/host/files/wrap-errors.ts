import { Failure, localFile } from '../../core/failure.ts';
import { errorHint, errorReason } from '../../core/files/file-errors.ts';

/** Turns an error of the file system into a Failure, local-file (14), that begins with `what`. */
export async function wrapErrors<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw localFile(`${what}: ${errorReason(error)}`, errorHint(error), error);
  }
}
