import type { Clock } from '../../core/context.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { certainMs } from '../../queue/not-there-yet.ts';
import { timeToLive } from '../../queue/submission.ts';

/**
 * Expired jobs that were submitted after this date may be at the service all the same: their retention is not over. `extras`
 * are the members of every submission beside its input.
 */
export const expiredSince = (clock: Pick<Clock, 'now'>, extras: string): EpochMs =>
  // eslint-disable-next-line no-restricted-syntax -- compared with dates of the records
  clock.now() - certainMs({ ttlMs: timeToLive(extras) });
