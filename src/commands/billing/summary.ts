import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { contractSchema, either } from '../../cli/model/output-schema.ts';
import { option, type Params, type ValuesOf } from '../../cli/model/params.ts';
import { listCommand } from '../../cli/hint.ts';
import type { Query } from '../../cli/model/collection.ts';
import { rowCalled } from '../../cli/resource/targets.ts';
import { readList, type WholeList } from '../../cli/resource/pages.ts';
import { listRequest, lookupRows } from '../../cli/resource/requests.ts';
import { countOf } from '../../cli/words.ts';
import { BY_KIND, KINDS, type Report, SUMMARY } from './service-reports.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { itemsAt, type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { sentence } from '../../core/message.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../core/unit-types.ts';
import { formatTimestamp, parseDuration, parseTimestamp } from '../../core/units.ts';
import { money, text } from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { type Column, idOf, type Shown, type View } from '../../output/view.ts';

const PERIOD = {
  from: option.text('start: a date, an RFC 3339 time, or an age (7d)', { metavar: 'WHEN' }),
  to: option.text('end; of a date, the end of that day', { metavar: 'WHEN' }),
  last: option.text('the last N buckets, or a time until now (7d)', { short: '-n', metavar: 'N|TIME' }),
  bucket: option.choice('time of a row (default day)', ['hour', 'day', 'week', 'month', 'year']),
} as const satisfies Params;

/** `--json` prints the service's whole document. */
export const summary = defineCommand({
  summary: 'show what everything cost, bucket by bucket',
  details:
    'Times are UTC, and extend to the edges of their buckets; the default is the last 30 days. --json prints the whole document, with its totals.',
  output: either(...[SUMMARY, ...Object.values(BY_KIND)].map(({ schema }) => contractSchema(schema))),
  options: {
    by: option.choice('a row for each of these in each bucket', KINDS),
    id: option.text('only this one, by id or name (with --by)', { metavar: 'ID' }),
    ...PERIOD,
  },
  examples: [
    ['berth billing summary --last 7', 'the last 7 days, day by day'],
    ['berth billing summary --by pod --id train-llm --from 7d', 'what a pod cost'],
  ],
  run: async (ctx, { by, id, ...period }) => {
    const report: Report = by === undefined ? SUMMARY : BY_KIND[by];
    if (id !== undefined && report.of === undefined)
      throw usage('--id needs --by pod, endpoint, volume or cluster', 'Say what it is the id of.');
    const isDated = period.from !== undefined || period.to !== undefined;
    const query = periodQuery(period, isDated ? await ctx.fetchServiceNow() : ctx.serviceNow());
    const { document, values } = await readReport(ctx, report, query, id);
    const totals = isTableOutput(ctx.output) ? totalsLine(report, document) : undefined;
    return {
      kind: 'many',
      view: viewOf(report, document, { drawn: ctx.terminal.output, wide: ctx.output.format === 'wide' }),
      values,
      whole: { document, member: 'records' },
      notes: totals === undefined ? [] : [totals],
    };
  },
});

/** A word is an id, maybe of what is gone, else a name. Not-found (4): a misspelt name must not look like no cost. */
async function readReport(ctx: CommandContext, { path, of }: Report, query: Query, word?: string): Promise<WholeList> {
  const send = (id: string | undefined): Promise<WholeList> =>
    readList(
      ctx.api,
      listRequest(
        { path, member: 'records' },
        of === undefined || id === undefined ? query : { ...query, [of.member]: id },
      ),
    );
  const records = await send(word);
  if (word === undefined || of === undefined || records.values.length > 0) return records;
  const row = rowCalled(of.lookup, await lookupRows(ctx, of.lookup), word);
  if (row === undefined)
    throw new Failure({
      code: 'not-found',
      exit: EXIT.notFound,
      message: `no ${of.lookup.noun} ${JSON.stringify(word)}, and nothing billed for it in this time`,
      hint: sentence`See ${listCommand(of.lookup)}. Use --from and the id of one that is gone.`,
    });
  return idOf(row) === word ? records : await send(idOf(row));
}

/** Contract rules, Billing. Usage (2). */
function periodQuery({ from, to, last, bucket }: ValuesOf<typeof PERIOD>, now: EpochMs): Query {
  if (last !== undefined && (from !== undefined || to !== undefined))
    throw usage('use either --last, or --from and --to', 'Keep one of them.');
  const start = from === undefined ? undefined : parseTimestamp(from, '--from', { now });
  const end = to === undefined ? undefined : parseTimestamp(to, '--to', { now, endOfDay: true });
  if (start !== undefined && (end?.at ?? now) <= start.at)
    throw usage(
      `--from is not before ${end === undefined ? 'now' : '--to'}`,
      `It is ${start.text}, and the end is ${end?.text ?? formatTimestamp(now)}.`,
    );
  const lastN = last === undefined ? undefined : bucketsOf(last, bucket ?? 'day');
  return { startTime: start?.text, endTime: end?.text, lastN, bucketSize: bucket };
}

const BUCKET_MS: Readonly<Record<string, number>> = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS };

/** A part of a bucket counts as one. */
function bucketsOf(last: string, bucket: string): number {
  const size = BUCKET_MS[bucket];
  const isNumber = /^\d+$/.test(last);
  if (!isNumber && size === undefined)
    throw usage(`--last ${last} cannot be counted in buckets of a ${bucket}`, `Use a number, or --from ${last}.`);
  const count = isNumber ? Number(last) : Math.ceil(parseDuration(last, 'd', '--last') / (size ?? 1));
  if (count < 1 || !Number.isSafeInteger(count)) throw usage(`--last must be at least 1, not ${last}`);
  return count;
}

const TOTAL = 'totalAmount';

/** A row per bucket (and resource). On a terminal (`drawn`) with bars; columns of zeros only if `wide`. */
function viewOf(
  { of, amounts, fee }: Report,
  document: Json,
  { drawn, wide }: { readonly drawn: boolean; readonly wide: boolean },
): View {
  const records = itemsAt(document, 'records');
  const most = Math.max(0, ...records.map((record) => numberAt(record, TOTAL) ?? 0));
  const bucket = stringAt(document, 'metadata.query.bucketSize');
  const edge =
    (member: string) =>
    (record: Json): string =>
      bucketEdge(text(member)(record), bucket);
  const shown = Object.entries(amounts).filter(
    ([member]) => !drawn || wide || records.some((record) => memberAt(record, member) !== 0),
  );
  const bar = (record: Json): Shown => {
    const amount = numberAt(record, TOTAL);
    return amount === undefined || most === 0 ? undefined : { percent: (amount / most) * 100, text: '' };
  };
  return {
    noun: ['billing record', 'billing records'],
    id: text(of?.member ?? 'startTime'),
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
      { header: `${(bucket ?? 'from').toUpperCase()} (UTC)`, show: edge('startTime') },
      { header: 'TOTAL', show: money(TOTAL), right: true },
      ...(drawn ? [{ header: 'CHART', show: bar, dropFirst: true }] : []),
      ...shown.map(([member, label]): Column => ({
        header: label.toUpperCase(),
        show: money(member),
        right: true,
        ...(of === undefined ? { wide: true } : { dropFirst: true }),
      })),
      { header: 'UNTIL', show: edge('endTime'), wide: true },
    ],
  };
}

/** How much of its start says which bucket it is. */
const LENGTHS: Readonly<Record<string, number>> = { hour: 16, month: 7, year: 4 };
const DAY_LENGTH = 10;

/** The whole time where it is not the edge of a bucket. */
function bucketEdge(time: string, bucket = 'day'): string {
  const whole = time.replace(/\.0+Z$/, 'Z');
  const length = [LENGTHS[bucket] ?? DAY_LENGTH, DAY_LENGTH].find(
    (each) => whole.slice(each) === '0000-01-01T00:00:00Z'.slice(each),
  );
  return length === undefined ? time : time.slice(0, length).replace('T', ' ');
}

/** `Total $12.40 from 2026-01-01 to 2026-01-31 (UTC): GPU $10.00; 3 pods.` */
function totalsLine({ amounts, of }: Report, document: Json): string | undefined {
  const totals = memberAt(document, 'metadata.totals') ?? null;
  const paid = Object.keys(amounts).filter((member) => (numberAt(totals, member) ?? 0) !== 0);
  const dollars = (member: string): string => money(member)(totals);
  if (dollars(TOTAL) === '') return undefined;
  const parts = paid.map((member) => `${amounts[member] ?? ''} ${dollars(member)}`);
  const count = of === undefined ? undefined : numberAt(document, `metadata.${of.count}`);
  const things = count === undefined || of === undefined ? '' : `; ${countOf(count, of.lookup.noun)}`;
  return `Total ${dollars(TOTAL)}${period(document)}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}${things}.`;
}

function period(document: Json): string {
  const [start, end] = ['startTime', 'endTime'].map((member) => text(`metadata.query.${member}`)(document));
  if (start === undefined || end === undefined || start === '' || end === '') return '';
  if (![start, end].every((time) => /T00:00:00(\.0+)?Z$/.test(time))) return ` from ${start} to ${end}`;
  return ` from ${start.slice(0, 10)} to ${formatTimestamp(Date.parse(end) - 1).slice(0, 10)} (UTC)`;
}
