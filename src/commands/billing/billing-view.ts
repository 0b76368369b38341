import { itemsAt, type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { decimalsOf } from '../../core/units.ts';
import { countOf } from '../../cli/words/words.ts';
import { money, text } from '../../output/cells/cell-functions.ts';
import type { Column, Shown, View } from '../../output/view.ts';
import type { Report } from './report/service-reports.ts';

const TOTAL = 'totalAmount';

/**
 * The view of a report: a row for each bucket, or for each bucket and resource. On a terminal (`drawn`) a bar shows each
 * total in relation to the largest one, and amounts that are zero in every record have no column unless `wide` is set.
 */
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
    ...(member === TOTAL ? {} : { counted: true }),
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

/** The start or end of a bucket, as short as the bucket size allows; other times are shown in full. */
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

/**
 * The totals as a sentence: `Total $12.40 from 2026-01-01 to 2026-01-31 (UTC): GPU $10.00, disk $2.40; 3 pods.` Each amount is
 * rounded as in the rows. All have four decimals where one of the rows has.
 */
export function totalsLine(report: Report, document: Json): string | undefined {
  const totals = memberAt(document, 'metadata.totals') ?? null;
  const paid = Object.keys(report.amounts).filter((member) => (numberAt(totals, member) ?? 0) !== 0);
  const amounts = [totals, ...itemsAt(document, 'records')].flatMap((row) =>
    [TOTAL, ...paid].map((member) => numberAt(row, member) ?? 0),
  );
  const dollars = (member: string): string => money(member, Math.max(...amounts.map(decimalsOf)))(totals);
  if (dollars(TOTAL) === '') return undefined;
  const parts = paid.map((member) => `${report.amounts[member] ?? ''} ${dollars(member)}`);
  const count = report.of === undefined ? undefined : numberAt(document, `metadata.${report.of.count}`);
  const things = count === undefined || report.of === undefined ? '' : `; ${countOf(count, report.of.lookup.noun)}`;
  return `Total ${dollars(TOTAL)}${period(document)}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}${things}.`;
}

/** The period of the totals; whole days are shown as dates, including the last day. */
function period(document: Json): string {
  const start = text('metadata.query.startTime')(document);
  const end = text('metadata.query.endTime')(document);
  if (start === '' || end === '') return '';
  const midnight = /T00:00:00(?:\.0+)?Z$/;
  if (!midnight.test(start) || !midnight.test(end)) return ` from ${start} to ${end}`;
  const lastDay = new Date(Date.parse(end) - 1).toISOString().slice(0, 10);
  return ` from ${start.slice(0, 10)} to ${lastDay} (UTC)`;
}
