import { option, type Params, type ValuesOf } from '../../cli/model/params.ts';
import { countOf } from '../../cli/words.ts';
import type { Report } from './service-reports.ts';
import { usage } from '../../core/failure.ts';
import { itemsAt, type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../core/unit-types.ts';
import { formatTimestamp, parseDuration, parseTimestamp } from '../../core/units.ts';
import { money, text } from '../../output/cells.ts';
import type { Column, Shown, View } from '../../output/view.ts';

const TOTAL = 'totalAmount';

/** A row per bucket (and resource). On a terminal (`drawn`) with bars; all-zero columns only if `wide`. */
export function billingView(
  report: Report,
  document: Json,
  { drawn, wide: everything }: { readonly drawn: boolean; readonly wide: boolean },
): View {
  const { of, amounts, fee, wide: isWide } = report;
  const records = itemsAt(document, 'records');
  const most = Math.max(0, ...records.map((record) => numberAt(record, TOTAL) ?? 0));
  const bucket = stringAt(document, 'metadata.query.bucketSize');
  const isShown = (member: string): boolean =>
    !drawn || everything || records.some((record) => memberAt(record, member) !== 0);
  const dollars = (member: string, header: string, wide = false): Column => ({
    header,
    show: money(member),
    right: true,
    ...(wide ? { wide } : { dropFirst: member !== TOTAL }),
  });
  return {
    noun: ['billing record', 'billing records'],
    id: (record) => text(of?.member ?? 'startTime')(record),
    members: [
      'startTime',
      'endTime',
      ...(of === undefined ? [] : [of.member]),
      TOTAL,
      ...Object.keys(amounts),
      ...(fee === undefined ? [] : [fee]),
    ],
    columns: [
      ...(of === undefined ? [] : [{ header: of.lookup.noun.toUpperCase(), show: text(of.member) }]),
      {
        header: `${(bucket ?? 'from').toUpperCase()} (UTC)`,
        show: (record) => bucketEdge(text('startTime')(record), bucket),
      },
      dollars(TOTAL, 'TOTAL'),
      ...(drawn ? [{ header: 'CHART', show: (record: Json) => bar(record, most), dropFirst: true }] : []),
      ...Object.entries(amounts)
        .filter(([member]) => isShown(member))
        .map(([member, name]) => dollars(member, name.toUpperCase(), isWide)),
      { header: 'UNTIL', show: (record) => bucketEdge(text('endTime')(record), bucket), wide: true },
    ],
  };
}

function bucketEdge(time: string, bucket: string | undefined): string {
  const [, date = '', month = '', year = '', hour = ''] =
    /^(((\d{4})-\d\d)-\d\d)T(\d\d):00:00(?:\.0+)?Z$/.exec(time) ?? [];
  if (date === '') return time;
  if (bucket === 'hour') return `${date} ${hour}:00`;
  if (hour !== '00') return time;
  if (bucket === 'month' && date.endsWith('-01')) return month;
  if (bucket === 'year' && date.endsWith('-01-01')) return year;
  return date;
}

function bar(record: Json, most: number): Shown {
  const amount = numberAt(record, TOTAL);
  return amount === undefined || most === 0 ? undefined : { percent: (amount / most) * 100, text: '' };
}

/** `Total $12.40 from 2026-01-01 to 2026-01-31 (UTC): GPU $10.00; 3 pods.` */
export function totalsLine(report: Report, document: Json): string | undefined {
  const totals = memberAt(document, 'metadata.totals') ?? null;
  const paid = Object.keys(report.amounts).filter((member) => (numberAt(totals, member) ?? 0) !== 0);
  const dollars = (member: string): string => money(member)(totals);
  if (dollars(TOTAL) === '') return undefined;
  const parts = paid.map((member) => `${report.amounts[member] ?? ''} ${dollars(member)}`);
  const count = report.of === undefined ? undefined : numberAt(document, `metadata.${report.of.count}`);
  const things = count === undefined || report.of === undefined ? '' : `; ${countOf(count, report.of.lookup.noun)}`;
  return `Total ${dollars(TOTAL)}${period(document)}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}${things}.`;
}

function period(document: Json): string {
  const start = text('metadata.query.startTime')(document);
  const end = text('metadata.query.endTime')(document);
  if (start === '' || end === '') return '';
  const midnight = /T00:00:00(?:\.0+)?Z$/;
  if (!midnight.test(start) || !midnight.test(end)) return ` from ${start} to ${end}`;
  const lastDay = new Date(Date.parse(end) - 1).toISOString().slice(0, 10);
  return ` from ${start.slice(0, 10)} to ${lastDay} (UTC)`;
}

/** Contract rules, Billing. */
export const PERIOD_OPTIONS = {
  from: option.text('from then on: a date, an RFC 3339 time, or how long ago (7d)', { metavar: 'WHEN' }),
  to: option.text('until then; a date is taken with its whole day', { metavar: 'WHEN' }),
  last: option.text('the last so many buckets, or the time until now (7d)', { short: '-n', metavar: 'N|TIME' }),
  bucket: option.choice('sum up by so much time (default day)', ['hour', 'day', 'week', 'month', 'year']),
} as const satisfies Params;

type Period = ValuesOf<typeof PERIOD_OPTIONS>;

/** Without flags the service reports the last 30 days. Fails with usage (2). */
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

const BUCKET_MS: Readonly<Record<string, number>> = { hour: HOUR_MS, day: DAY_MS, week: 604_800_000 };

/** A part of a bucket counts as one. */
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
