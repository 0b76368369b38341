import type { DurableFiles } from '../../core/context.ts';
import { usage, type Failure } from '../../core/failure.ts';

/** Returns whether an input can be read only once: stdin, a pipe or a device. */
export const isPiped = async (durable: Pick<DurableFiles, 'resolve'>, input: string): Promise<boolean> =>
  input === '-' || (await durable.resolve(input)).kind === 'other';

/** The failure for a Parquet file that would have to be read without a copy of it. */
export const parquetFromPipe = (): Failure =>
  usage(
    'a Parquet file cannot be checked from a pipe',
    'Its end says where its rows are: write it to a file first, and name that.',
  );
