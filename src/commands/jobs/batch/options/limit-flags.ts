import type { ValuesOf } from '../../../../cli/model/params.ts';
import type { ItemCounts } from '../../../../batch/index.ts';
import type { limitOptions } from './flags.ts';

export type Limits = Pick<
  ValuesOf<typeof limitOptions>,
  'concurrency' | 'rate' | 'inFlight' | 'maxFailures' | 'maxTime' | 'retryFailed'
>;

/**
 * The limits of a run as flags of its resume, which remembers none of them. `--max-failures` counts all items that did not
 * complete, those from before too: as many more may fail as at first.
 */
export function limitFlags(
  { concurrency, rate, inFlight, maxFailures, maxTime, retryFailed }: Limits,
  { failed, timedOut, cancelled, expired }: ItemCounts,
): readonly string[] {
  const before = failed + timedOut + cancelled + expired;
  const flags: Readonly<Record<string, number | string | undefined>> = {
    '--concurrency': concurrency,
    '--rate': rate,
    '--in-flight': inFlight,
    '--max-failures': maxFailures === undefined ? undefined : maxFailures + before,
    '--max-time': maxTime === undefined ? undefined : `${Math.ceil(maxTime / 1000)}s`,
    '--retry-failed': retryFailed,
  };
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag, String(value)]));
}
