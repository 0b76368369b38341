import type { BatchProgress } from '../../../../batch/index.ts';
import type { CommandContext } from '../../../../cli/model/context.ts';
import { formatDuration } from '../../../../core/units.ts';

type Outage = NonNullable<BatchProgress['outage']>;

/** Shorter outages are not shown. An answer may be slow: without an error, it is waited for longer before that is said. */
const MIN_OUTAGE_MS = 3000;
const MIN_SILENCE_MS = 10_000;

/** Returns `the store has not been reachable for 12s: connect ECONNREFUSED ...`; undefined for what is not shown. */
export function describeOutage(outage: Outage | undefined, now: Outage['since']): string | undefined {
  if (outage === undefined) return undefined;
  const { what, since, reason } = outage;
  const lasted = now - since;
  if (reason === undefined)
    return lasted < MIN_SILENCE_MS ? undefined : `${what} has not answered for ${formatDuration(lasted)}`;
  return lasted < MIN_OUTAGE_MS ? undefined : `${what} has not been reachable for ${formatDuration(lasted)}: ${reason}`;
}

/**
 * Returns a function to call with the outage of each moment. It says when one that was shown is over, and returns true when one
 * is to be shown for the first time.
 */
export function createOutageView(
  ctx: CommandContext,
): (outage: Outage | undefined, now: Outage['since']) => Promise<boolean> {
  let shown: Outage | undefined;
  return async (outage, now) => {
    if (shown !== undefined && shown.since !== outage?.since) {
      const { what, since } = shown;
      shown = undefined;
      await ctx.tell(`${what.replace(/^t/, 'T')} answers again, after ${formatDuration(now - since)}.`);
    }
    if (describeOutage(outage, now) === undefined || shown !== undefined) return false;
    shown = outage;
    return true;
  };
}
