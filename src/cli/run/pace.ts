import { MINUTE_MS } from '../../core/durations.ts';
import type { RateWindow } from '../../core/api.ts';
import type { Context } from '../../core/context.ts';
import { Failure } from '../../core/failure.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** The share of what is left of a rate window that one view uses: other commands of the user need the rest. */
const SHARE = 0.5;

/** The longest pause between two polls. A window that resets later is looked at again then. */
const MAX_INTERVAL_MS: Milliseconds = MINUTE_MS;

/** The shortest pause. */
export const MIN_INTERVAL_MS: Milliseconds = 100;

/**
 * Returns how long to wait between two polls of `requests` requests each, so that half of what is left of every rate
 * window lasts until it resets: at least `wantedMs` and 100 ms, at most `wantedMs` or a minute.
 */
export function pacedInterval(windows: readonly RateWindow[], requests: number, wantedMs: Milliseconds): Milliseconds {
  const needed = windows.map(({ remaining, resetSeconds }) => {
    if (remaining === undefined || resetSeconds === undefined) return 0;
    const usable = remaining * SHARE;
    return usable < requests ? resetSeconds * 1000 : (resetSeconds * 1000 * requests) / usable;
  });
  return Math.max(MIN_INTERVAL_MS, wantedMs, Math.min(MAX_INTERVAL_MS, Math.max(0, ...needed)));
}

/** Returns the same by the windows of the last answers; without a data directory none are known between commands. */
export async function nextInterval(ctx: Context, requests: number, wantedMs: Milliseconds): Promise<Milliseconds> {
  try {
    return pacedInterval(await ctx.limits.read(), requests, wantedMs);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return pacedInterval([], requests, wantedMs);
  }
}
