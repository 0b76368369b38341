import { Failure, usage } from '../../../core/failure.ts';
import { ThriftError } from './thrift-check.ts';
import { formatBytes } from '../../../core/units.ts';

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

/** Limits of the columns of a row group that are read: they are decoded in memory as a whole. */
const MAX_BYTES = 500_000_000;
const MAX_VALUES = 30_000_000;

/** `group` is the number of the row group, from 1, for the message. */
export function createMemoryBudget(group: number) {
  let bytes = 0;
  let values = 0;
  const tooLarge = (has: string, most: string): NotReadable =>
    new NotReadable(
      `row group ${String(group)} has more than ${most} ${has} in the columns that are read`,
      'Write it with smaller row groups, or read fewer columns with --input-field.',
    );
  return {
    /** Fails with NotReadable when the group needs more than the limits. */
    take: (moreBytes: number, moreValues: number): void => {
      bytes += moreBytes;
      values += moreValues;
      if (bytes > MAX_BYTES) throw tooLarge('of data', formatBytes(MAX_BYTES));
      if (values > MAX_VALUES) throw tooLarge('values', String(MAX_VALUES));
    },
  };
}

/** What the pages of a row group may need together. */
export type MemoryBudget = ReturnType<typeof createMemoryBudget>;
