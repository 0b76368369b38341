import type { Milliseconds } from '../../core/unit-types.ts';

/**
 * What is added to the ages of a new account's resources. With whole days or hours, an age would be shown
 * with one unit less in an answer whose Date is in the second before.
 */
export const SEED_OFFSET_MS: Milliseconds = 1_200_000;
