import { usage } from '../../core/failure.ts';
import { formatMoment, parseMoment } from '../../core/moment.ts';
import { option, type Params, type ValuesOf } from '../../cli/parse/params.ts';

/** The flags for the time of a report and the size of its buckets (contract rules, Billing). */
export const PERIOD_OPTIONS = {
  from: option.text('from then on: a date, an RFC 3339 time, or how long ago (7d)', { metavar: 'WHEN' }),
  to: option.text('until then; a date is taken with its whole day', { metavar: 'WHEN' }),
  last: option.count('the last so many buckets', 1, { short: '-n' }),
  bucket: option.choice('sum up by so much time (default day)', ['hour', 'day', 'week', 'month', 'year']),
} as const satisfies Params;

type Period = ValuesOf<typeof PERIOD_OPTIONS>;

/** The query of a period; without flags the service reports the last 30 days. Fails with usage (2). */
export function periodQuery(
  { from, to, last, bucket }: Period,
  now: number,
): Readonly<Record<string, string | number | undefined>> {
  if (last !== undefined && (from !== undefined || to !== undefined))
    throw usage('--last and --from or --to exclude each other', 'Keep --last, or the two ends.');
  const start = from === undefined ? undefined : parseMoment(from, '--from', { now });
  const end = to === undefined ? undefined : parseMoment(to, '--to', { now, wholeDay: true });
  if (start !== undefined && (end?.at ?? now) <= start.at)
    throw usage(
      `--from is not before ${end === undefined ? 'now' : '--to'}`,
      `It is ${start.text}, and the end is ${end?.text ?? formatMoment(now)}.`,
    );
  return {
    startTime: start?.text,
    endTime: end?.text,
    lastN: last,
    bucketSize: bucket,
  };
}
