import { formatBytes } from '../../../core/units.ts';
import { NotReadable } from './not-readable.ts';

/** Limits of the columns of a row group that are read: they are decoded in memory as a whole. */
const MAX_BYTES = 500_000_000;
const MAX_VALUES = 30_000_000;

/** `group` is the number of the row group, from 1, for the message. */
export function createMemoryBudget(group: number) {
  let bytes = 0;
  let values = 0;
  const tooLarge = (has: string, most: string): NotReadable =>
    new NotReadable(
      `row group ${group} has more than ${most} ${has} in the columns that are read`,
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
