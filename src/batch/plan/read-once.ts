import type { DurableFiles } from '../../core/context.ts';
import { usage, type Failure } from '../../core/failure.ts';

/** Returns the only input when it can be read only once, so that it must be copied: stdin, a pipe or a device. */
export async function readOnceInput(
  { resolve }: Pick<DurableFiles, 'resolve'>,
  [input = '', ...others]: readonly string[],
): Promise<string | undefined> {
  if (others.length > 0 || input === '' || input.startsWith('s3://')) return undefined;
  return input === '-' || (await resolve(input)).kind === 'other' ? input : undefined;
}

/** The failure for a Parquet file that would have to be read without a copy of it. */
export const parquetFromPipe = (): Failure =>
  usage(
    'a Parquet file cannot be checked from a pipe',
    'Its end says where its rows are: write it to a file first, and name that.',
  );
