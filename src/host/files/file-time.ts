import type { EpochMs } from '../../core/unit-types.ts';

/**
 * The time of a file as the system takes it, in seconds. The system cuts to microseconds, and the number of seconds of a whole
 * millisecond may be a little too small for it: a microsecond more keeps the millisecond.
 */
export const fileTime = (at: EpochMs): number => at / 1000 + 1e-6;
