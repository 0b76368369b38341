import { Failure, localFile } from '../../core/failure.ts';
import { errorHint, errorReason } from '../../core/files/file-errors.ts';

/** Turns an error of the file system into a Failure, local-file (14), that begins with `what`. */
export async function wrapErrors<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureOf(what, error);
  }
}

/** The same for items that are read one after the other. */
export async function* wrapErrorsOf<T>(what: string, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw failureOf(what, error);
  }
}

const failureOf = (what: string, error: unknown): Failure =>
  error instanceof Failure ? error : localFile(`${what}: ${errorReason(error)}`, errorHint(error), error);
