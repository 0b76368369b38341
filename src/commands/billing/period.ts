import { DAY_MS, HOUR_MS } from '../../core/durations.ts';
import { usage } from '../../core/failure.ts';
import { formatTimestamp, parseTimestamp } from '../../core/text/timestamp.ts';
import { parseDuration } from '../../core/units.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { option, type Params, type ValuesOf } from '../../cli/model/params.ts';

/** The flags for the time of a report and the size of its buckets (contract rules, Billing). */
export const PERIOD_OPTIONS = {
  from: option.text('from then on: a date, an RFC 3339 time, or how long ago (7d)', { metavar: 'WHEN' }),
  to: option.text('until then; a date is taken with its whole day', { metavar: 'WHEN' }),
  last: option.text('the last so many buckets, or the time until now (7d)', { short: '-n', metavar: 'N|TIME' }),
  bucket: option.choice('sum up by so much time (default day)', ['hour', 'day', 'week', 'month', 'year']),
} as const satisfies Params;

type Period = ValuesOf<typeof PERIOD_OPTIONS>;

/** The query of a period; without flags the service reports the last 30 days. Fails with usage (2). */
export function periodQuery(
  { from, to, last, bucket }: Period,
  now: EpochMs,
): Readonly<Record<string, string | number | undefined>> {
  if (last !== undefined && (from !== undefined || to !== undefined))
    throw usage('--last and --from or --to exclude each other', 'Keep --last, or the two ends.');
  const start = from === undefined ? undefined : parseTimestamp(from, '--from', { now });
  const end = to === undefined ? undefined : parseTimestamp(to, '--to', { now, endOfDay: true });
  if (start !== undefined && (end?.at ?? now) <= start.at)
    throw usage(
      `--from is not before ${end === undefined ? 'now' : '--to'}`,
      `It is ${start.text}, and the end is ${end?.text ?? formatTimestamp(now)}.`,
    );
  return {
    startTime: start?.text,
    endTime: end?.text,
    lastN: last === undefined ? undefined : bucketsOf(last, bucket ?? 'day'),
    bucketSize: bucket,
  };
}

/** The length of the buckets that have a fixed one, in milliseconds. */
const BUCKET_MS: Readonly<Record<string, number>> = { hour: HOUR_MS, day: DAY_MS, week: 604_800_000 };

/** The number of buckets that a number or a duration stands for; a part of a bucket is a whole one. */
function bucketsOf(last: string, bucket: string): number {
  const size = Object.hasOwn(BUCKET_MS, bucket) ? BUCKET_MS[bucket] : undefined;
  const isNumber = /^\d+$/.test(last);
  if (!isNumber && size === undefined)
    throw usage(
      `--last ${last} cannot be counted in buckets of a ${bucket}`,
      `Write a number: --last 3 is three of them. --from ${last} is a time that ends now.`,
    );
  const count = isNumber ? Number(last) : Math.ceil(parseDuration(last, 'd', '--last') / (size ?? 1));
  if (count < 1 || !Number.isSafeInteger(count)) throw usage(`--last is at least 1, and not ${last}`);
  return count;
}
