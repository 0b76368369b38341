import { sentence } from '../../core/message.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { rethrowUnlessFailure, usage } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import { type Command, defineCommand, defineGroup } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { type Collection, listCommandOf, type Query } from '../../cli/model/collection.ts';
import { listRequest, rowRequest } from '../../cli/resource/requests.ts';
import { findId } from '../../cli/resource/identify.ts';
import { readList, type WholeList } from '../../cli/resource/pages.ts';
import { option } from '../../cli/model/params.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { billingView, PERIOD_OPTIONS, periodQuery, totalsLine } from './billing-view.ts';
import { CLUSTERS, ENDPOINTS, PODS, type Report, SERVERLESS, SUMMARY, VOLUMES } from './service-reports.ts';
import { asId } from '../../core/ids.ts';
import { contractSchema } from '../../cli/model/output-schema.ts';
import { GROUPINGS } from './costs.ts';
import { COST_REPORT } from './report-schema.ts';

const MEMBER = 'records';

/** `--json` prints the service's complete document. */
function reportCommand(report: Report, example: string): Command {
  const noun = report.of?.lookup.noun;
  const filter = noun === undefined ? {} : { [noun]: filterFlag(report.of?.lookup, noun) };
  return defineCommand({
    summary: report.summary,
    details: DETAILS,
    output: contractSchema(report.schema),
    options: { ...PERIOD_OPTIONS, ...filter },
    examples: [[`berth billing ${example}`, 'the last 7 days, day by day']],
    run: async (ctx, values) => {
      const isDated = values.from !== undefined || values.to !== undefined;
      const query = periodQuery(values, isDated ? await ctx.fetchServiceNow() : ctx.serviceNow());
      const id = noun === undefined ? undefined : (values as Readonly<Record<string, unknown>>)[noun];
      const {
        document,
        values: records,
        sources,
      } = await readReport(ctx, report, query, typeof id === 'string' ? id : undefined);
      const isTable = isTableOutput(ctx.output);
      const totals = isTable ? totalsLine(report, document) : undefined;
      return {
        kind: 'many',
        view: billingView(report, document, { drawn: ctx.terminal.output, wide: ctx.output.format === 'wide' }),
        values: records,
        sources,
        whole: { document, member: MEMBER },
        notes: isTable ? [totals, report.others].filter((note) => note !== undefined) : [],
      };
    },
  });
}

const DETAILS =
  'Times are UTC, and snap outward to the edges of their buckets; without any, it is the last 30 days. --json prints the whole document, with the query as the service took it and the totals.';

const filterFlag = (complete: Collection | undefined, noun: string) =>
  option.text(`only this ${noun}, by id or name`, {
    metavar: noun.toUpperCase(),
    ...(complete === undefined ? {} : { complete }),
  });

/** Tries an id (maybe deleted), then a name. Not-found (4): a misspelt name must not look like no cost. */
async function readReport(
  ctx: CommandContext,
  report: Report,
  query: Query,
  given: string | undefined,
): Promise<WholeList> {
  const send = (id: string | undefined): Promise<WholeList> =>
    readList(
      ctx.api,
      listRequest(
        { path: report.path, member: MEMBER },
        report.of === undefined || id === undefined ? query : { ...query, [report.of.member]: id },
      ),
    );
  const records = await send(given);
  if (given === undefined || report.of === undefined || records.values.length > 0) return records;
  const id = await findId(ctx, report.of.lookup, given);
  if (id !== undefined && id !== given) return await send(id);
  if (id !== undefined) return records;
  const gone = await readGone(ctx, given, send);
  if (gone === undefined) await requireExisting(ctx, report.of.lookup, given);
  return gone ?? records;
}

/** By a remembered name; undefined if nothing was billed. Usage (2) if several ids have records. */
async function readGone(
  ctx: CommandContext,
  name: string,
  send: (id: string) => Promise<WholeList>,
): Promise<WholeList | undefined> {
  const ids = [...(await ctx.names.read())].flatMap(([id, known]) => (known === name ? [id] : []));
  const read = await Promise.all(ids.slice(-MAX_GONE).map(async (id) => ({ id, list: await send(id) })));
  const billed = read.filter(({ list }) => list.values.length > 0);
  if (billed.length > 1)
    throw usage(
      `${billed.length} that are gone were named ${JSON.stringify(safeText(name))}`,
      `Use an id: ${billed.map(({ id }) => safeText(id)).join(', ')}`,
    );
  return billed[0]?.list;
}

/** The latest rows of one remembered name. */
const MAX_GONE = 10;

/** Not-found (4). Other failures of the check are ignored. */
async function requireExisting(ctx: CommandContext, lookup: Collection, given: string): Promise<void> {
  try {
    await ctx.api.send(rowRequest(lookup, asId(given)));
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    if (error.exit === EXIT.notFound)
      throw error.with({
        message: `nothing was billed in this time for ${JSON.stringify(given)}, and no ${lookup.noun} has this id or name`,
        hint: sentence`See ${listCommandOf(lookup)}. One that is gone is found by its id, in the time when it cost something: --from.`,
      });
  }
}

const report = defineCommand({
  output: COST_REPORT,
  summary: 'show what costs most, what is idle, and what the month will cost',
  details:
    'Every resource with its name, the most expensive first; --by shows one kind of them, or the days. Idle are pods in ERROR, endpoints whose workers only wait, and volumes that nothing mounts. The month is forecast in two ways: by the average of the last seven whole days, and at the present rate, which is what pods, clusters, workers and volumes cost now; container disks have no published price and are not in it. Amounts are exact decimals; days are UTC. With --budget it ends 15 when the total is above it: that of this calendar month (UTC), or of --last.',
  options: {
    last: option.text(
      'the time until now, in whole days; month is this calendar month (default 30d; month with --budget)',
      {
        metavar: 'TIME|month',
      },
    ),
    by: option.choice('what a row is (default: every resource)', GROUPINGS),
    budget: option.text('end 15 when the total is above this', { metavar: 'USD' }),
  },
  exits: [EXIT.limitExceeded],
  examples: [
    ['berth billing report', 'what costs most'],
    ['berth billing report --by day --last 7d', 'the last days'],
    ['berth billing report --budget 2000', 'end 15 when this month cost more than 2000 dollars'],
  ],
  run: async (ctx, values) => (await import('./report.ts')).costs(ctx, values),
});

export const billing = defineGroup('what was spent, and on what', {
  report,
  summary: reportCommand(SUMMARY, 'summary --last 7'),
  pods: reportCommand(PODS, 'pods --last 7 --pod train-llm'),
  serverless: reportCommand(SERVERLESS, 'serverless --last 7 --endpoint echo'),
  endpoints: reportCommand(ENDPOINTS, 'endpoints --last 7'),
  volumes: reportCommand(VOLUMES, 'volumes --from 7d --volume datasets'),
  clusters: reportCommand(CLUSTERS, 'clusters --from 7d --cluster train'),
});
