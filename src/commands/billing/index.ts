import { listCommand } from '../../cli/hint.ts';
import type { Query } from '../../cli/model/collection.ts';
import { defineCommand, defineGroup } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { contractSchema, either } from '../../cli/model/output-schema.ts';
import { option, type Params, type ValuesOf } from '../../cli/model/params.ts';
import { listRequest, lookupRows, readList, type WholeList } from '../../cli/resource/pages.ts';
import { rowCalled } from '../../cli/resource/targets.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { itemsAt, type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { sentence } from '../../core/message.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { parseTimestamp } from '../../core/units.ts';
import { money, text } from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { type Column, idOf, type View } from '../../output/view.ts';
import { BY_KIND, type BilledReport, chart, KINDS, SUMMARY } from './costs.ts';
import { report } from './report.ts';

const PERIOD = {
  from: option.text('start: a date, an RFC 3339 time, or an age (7d)', { metavar: 'WHEN' }),
  to: option.text('end; of a date, the end of that day', { metavar: 'WHEN' }),
  last: option.text('the last N buckets, or a time until now (7d)', { short: '-n', metavar: 'N|TIME' }),
  bucket: option.choice('time of a row (default day)', ['hour', 'day', 'week', 'month', 'year']),
} as const satisfies Params;

/** `--json` prints the service's whole document. */
const summary = defineCommand({
  summary: 'show what everything cost, bucket by bucket',
  details:
    'Times are UTC, and extend to the edges of their buckets; the default is the last 30 days. --json prints the whole document, with its totals.',
  output: () => either(...[SUMMARY, ...Object.values(BY_KIND)].map(({ schema }) => contractSchema(schema))),
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
    const billed: BilledReport = by === undefined ? SUMMARY : BY_KIND[by];
    if (id !== undefined && billed.of === undefined)
      throw usage('--id needs --by pod, endpoint, volume or cluster', 'Say what it is the id of.');
    const isDated = [period.from, period.to, period.last].some((word) => word !== undefined && !/^\d+$/.test(word));
    const query = periodQuery(period, isDated ? await ctx.fetchServiceNow() : ctx.serviceNow());
    const { document, values } = await readBilled(ctx, billed, query, id);
    return {
      kind: 'many',
      view: viewOf(ctx, billed, document),
      values,
      whole: { document, member: 'records' },
      notes: isTableOutput(ctx.output) ? totalsLine(billed, document) : [],
    };
  },
});

export const billing = defineGroup('what was spent, and on what', { report, summary });

/** A word is an id, maybe of what is gone, else a name. Not-found (4): a misspelt name must not look like no cost. */
async function readBilled(
  ctx: CommandContext,
  { path, of }: BilledReport,
  query: Query,
  word: string | undefined,
): Promise<WholeList> {
  const send = (more: Query = {}): Promise<WholeList> =>
    readList(ctx.api, listRequest({ path, member: 'records' }, { ...query, ...more }));
  if (word === undefined || of === undefined) return await send();
  const records = await send({ [of.member]: word });
  if (records.values.length > 0) return records;
  const row = rowCalled(of.lookup, await lookupRows(ctx, of.lookup), word);
  if (row === undefined)
    throw new Failure({
      code: 'not-found',
      exit: EXIT.notFound,
      message: `no ${of.lookup.noun} ${JSON.stringify(word)}, and nothing billed for it in this time`,
      hint: sentence`See ${listCommand(of.lookup)}. Use --from and the id of one that is gone.`,
    });
  return idOf(row) === word ? records : await send({ [of.member]: idOf(row) });
}

/** Contract rules, Billing. Usage (2). */
function periodQuery({ from, to, last, bucket }: ValuesOf<typeof PERIOD>, now: EpochMs): Query {
  if (last !== undefined && (from !== undefined || to !== undefined))
    throw usage('use either --last, or --from and --to', 'Keep one of them.');
  const isCount = /^0*[1-9]\d*$/.test(last ?? '');
  const start = isCount ? undefined : (from ?? last);
  return {
    startTime:
      start === undefined ? undefined : parseTimestamp(start, from === undefined ? '--last' : '--from', { now }).text,
    endTime: to === undefined ? undefined : parseTimestamp(to, '--to', { now, endOfDay: true }).text,
    lastN: isCount ? Number(last) : undefined,
    bucketSize: bucket,
  };
}

const TOTAL = 'totalAmount';

/** A row per bucket and resource. A terminal has bars, and of the summary what cost anything. */
function viewOf({ terminal }: CommandContext, { of, amounts }: BilledReport, document: Json): View {
  const records = itemsAt(document, 'records');
  const bucket = stringAt(document, 'metadata.query.bucketSize') ?? 'from';
  const start = (record: Json): string => text(record, 'startTime').slice(0, bucket === 'hour' ? 16 : 10);
  return {
    noun: ['billing record', 'billing records'],
    id: (row) => text(row, of?.member ?? 'startTime'),
    members: ['startTime', 'endTime', of?.member ?? [], TOTAL, Object.keys(amounts)].flat(),
    columns: [
      ...(of === undefined
        ? []
        : [{ header: of.lookup.noun.toUpperCase(), show: (row: Json) => text(row, of.member) }]),
      { header: `${bucket.toUpperCase()} (UTC)`, show: (record) => start(record).replace('T', ' ') },
      { header: 'TOTAL', show: (row) => money(row, TOTAL), right: true },
      ...(terminal.output ? [chart(records, TOTAL)] : []),
      ...Object.entries(amounts).map(([member, label]): Column => ({
        header: label.toUpperCase(),
        show: (row) => money(row, member),
        right: true,
        ...(of !== undefined || (terminal.output && isPaid(document, member)) ? { dropFirst: true } : { wide: true }),
      })),
    ],
  };
}

const isPaid = (document: Json, member: string): boolean =>
  (numberAt(document, `metadata.totals.${member}`) ?? 0) !== 0;

/** `Total $12.40: GPU $10.00, disk $2.40.` */
function totalsLine({ amounts }: BilledReport, document: Json): readonly string[] {
  const totals = memberAt(document, 'metadata.totals') ?? null;
  const total = money(totals, TOTAL);
  const paid = Object.entries(amounts).filter(([member]) => isPaid(document, member));
  const parts = paid.map(([member, label]) => `${label} ${money(totals, member)}`);
  return total === '' ? [] : [`Total ${total}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}.`];
}
