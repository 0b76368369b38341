import { Failure, usage } from '../../../core/failure.ts';
import { ThriftError } from './thrift-check.ts';

/** Why a Parquet file cannot be read. It becomes a usage failure (2) that names the file. */
export class NotReadable extends Error {
  override readonly name = 'NotReadable';
  readonly hint: string | undefined;
  constructor(reason: string, hint?: string) {
    super(reason);
    this.hint = hint;
  }
}

/**
 * Runs a function that reads a Parquet file. An error of the file's content becomes a usage failure (2): also one of the
 * package that decodes it, which reports damaged data by errors of all kinds. Other failures are passed on.
 */
export async function readingParquet<T>(name: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw failureOf(name, error);
  }
}

/** Returns the failure for an error that was thrown while a Parquet file was read. */
export function failureOf(name: string, error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error) || error.name === 'AbortError') return error;
  if (error instanceof NotReadable) return usage(`cannot read ${name} as Parquet: ${error.message}`, error.hint);
  // The messages of the package are about its own code.
  const reason = error instanceof ThriftError ? `it is damaged: ${error.message}` : 'it is damaged';
  return usage(`cannot read ${name} as Parquet: ${reason}`, 'Copy or write the file again.');
}
