import type { CommandContext } from '../../cli/model/context.ts';
import { rateDetails, rateText } from '../../cli/money/hourly-cost.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { DAY_PARTS, formatMoney, type Grouping, type Money, parseMoney, PARTS } from './costs.ts';
import { type Facts, fetchFacts } from './facts.ts';
import { costReport, type CostReport, dayStart, forecastStart, monthStart } from './report-document.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { DAY_MS, type EpochMs } from '../../core/unit-types.ts';
import { formatDuration, parseDuration } from '../../core/units.ts';
import { money, text } from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { Column, Result, View } from '../../output/view.ts';

/** Distinguishable without colour. */
const FILLS = ['█', '▓', '▒', '░'] as const;
const BAR_LENGTH = 16;

const partsOf = (by: Grouping): readonly string[] => (by === 'day' ? DAY_PARTS : PARTS);

const legend = (by: Grouping): string =>
  partsOf(by)
    .map((part, at) => `${FILLS[at] ?? ''} ${part === 'gpu' || part === 'cpu' ? part.toUpperCase() : part}`)
    .join(', ');

/** Bars on a terminal (`drawn`), relative to the largest total. `gone`: ids no longer listed. */
function costView(by: Grouping, rows: readonly Json[], drawn: boolean, gone: ReadonlySet<string>): View {
  const parts = partsOf(by);
  const most = Math.max(0, ...rows.map((row) => valueAt(row, 'totalUsd')));
  const dollars = (member: string, header: string, dropFirst: boolean): Column => ({
    header,
    show: money(member),
    right: true,
    ...(dropFirst ? { dropFirst } : {}),
  });
  return {
    noun: ['cost', 'costs'],
    id: text(by === 'day' ? 'day' : 'id'),
    columns: [
      ...(by === 'day'
        ? [{ header: 'DAY (UTC)', show: text('day'), cutLast: true }]
        : [
            { ...textColumn('name'), show: (row: Json) => nameOf(row, by, gone) },
            { header: by === undefined ? 'ID' : by.toUpperCase(), show: text('id'), cutLast: true },
            ...(by === undefined ? [textColumn('kind')] : []),
          ]),
      dollars('totalUsd', 'TOTAL', false),
      ...(drawn
        ? [{ header: 'CHART', show: (row: Json) => stackedBar(row, parts, most), dropFirst: true, cutLast: true }]
        : []),
      ...parts.map((part) => dollars(`${part}Usd`, part.toUpperCase(), true)),
    ],
  };
}

/** For one never listed on this machine: that it is gone, or its id. */
function nameOf(row: Json, by: Grouping, gone: ReadonlySet<string>): string {
  const [name = '', id = '', kind = by] = [stringAt(row, 'name'), stringAt(row, 'id'), stringAt(row, 'kind')];
  if (name !== '') return name;
  if (gone.has(id)) return kind === 'pod' ? '(terminated)' : '(deleted)';
  return id === '' ? '-' : id;
}

const valueAt = (row: Json, member: string): number => Math.max(0, numberAt(row, member) ?? 0);

/** The parts' lengths add up to the total's. */
function stackedBar(row: Json, parts: readonly string[], most: number): string {
  const total = valueAt(row, 'totalUsd');
  if (most === 0 || total === 0) return ' ';
  const length = Math.max(1, Math.round((total / most) * BAR_LENGTH));
  const ends: number[] = [];
  let upTo = 0;
  for (const part of parts) {
    upTo += valueAt(row, `${part}Usd`);
    // The running sum is rounded, so that the lengths add up.
    ends.push(Math.round((Math.min(upTo, total) / total) * length));
  }
  return ends.map((end, at) => (FILLS[at] ?? '').repeat(end - (ends[at - 1] ?? 0))).join('');
}

interface ReportValues {
  readonly last: string | undefined;
  readonly by: Grouping;
  readonly budget: string | undefined;
}

/** The calendar month in UTC, up to now. */
const MONTH = 'month';
const DEFAULT_LAST = '30d';

/** Usage (2) for a bad budget; limit-exceeded (15) after the report if the total is above it. */
export async function costs(ctx: CommandContext, values: ReportValues): Promise<Result> {
  const budget = values.budget === undefined ? undefined : budgetOf(values.budget);
  const now = await ctx.fetchServiceNow({ overHttp: true });
  // A budget is for a month, unless another time is asked for.
  const last = values.last ?? (budget === undefined ? DEFAULT_LAST : MONTH);
  const start = last === MONTH ? monthStart(now) : startOf(last, now);
  const facts = await fetchFacts(ctx, start, Math.min(start, forecastStart(now)), dayStart(now) + DAY_MS);
  const report = costReport(facts, values.by, start, now, budget);
  const { rows } = report.document;
  const isTable = isTableOutput(ctx.output);
  return {
    kind: 'many',
    view: costView(values.by, rows, ctx.terminal.output, facts.gone),
    values: rows,
    whole: { document: report.document, member: 'rows' },
    notes: isTable ? notesOf(ctx, report, facts, values.by, { last, budget: last === MONTH ? budget : undefined }) : [],
    failure: budget !== undefined && report.total.gt(budget) ? overBudget(report.total, budget, last) : undefined,
  };
}

function startOf(last: string, now: EpochMs): number {
  const lastMs = parseDuration(last, 'd', '--last');
  if (lastMs < DAY_MS || lastMs > now)
    throw usage(
      `--last is at least a day, and not ${formatDuration(lastMs)}`,
      'Costs are summed up by the day: --last 30d, or --last month for this calendar month.',
    );
  return dayStart(now) + (1 - Math.ceil(lastMs / DAY_MS)) * DAY_MS;
}

function budgetOf(text: string): Money {
  const budget = parseMoney(text);
  if (budget === undefined)
    throw usage(`--budget is not an amount in US dollars: ${JSON.stringify(text)}`, 'Write 500 or 99.90.');
  return budget;
}

const MAX_IDLE = 10;

function notesOf(
  { terminal }: CommandContext,
  { document, total, elsewhere, forecast, idle }: CostReport,
  { missing, rate }: Facts,
  by: Grouping,
  { last, budget: monthBudget }: { readonly last: string; readonly budget: Money | undefined },
): readonly Message[] {
  const [from, to] = [document.from.slice(0, 10), document.to.slice(0, 10)];
  const { month, spent, perDay, days, atPresentRate } = forecast;
  const byItsEnd = (amount: Money): string =>
    `about ${formatMoney(amount)} by its end${monthBudget !== undefined && amount.gt(monthBudget) ? `, above the budget of ${formatMoney(monthBudget)},` : ''}`;
  return [
    `Total ${formatMoney(total)} from ${from} to ${to} (UTC)${terminal.output && document.rows.length > 0 ? `; ${legend(by)}` : ''}.`,
    ...(elsewhere.eq(0)
      ? []
      : [sentence`${formatMoney(elsewhere)} of it is not in this table: see ${berth`billing report --last ${last}`}.`]),
    ...idle.slice(0, MAX_IDLE),
    ...(idle.length > MAX_IDLE ? [`And ${idle.length - MAX_IDLE} more are idle: see --json.`] : []),
    ...(days === 0
      ? []
      : [
          `${month}: ${formatMoney(spent)} so far, ${byItsEnd(forecast.total)} at ${formatMoney(perDay)} a day (the average of the last ${days === 1 ? 'day' : `${days} days`}).`,
        ]),
    `${month}: ${formatMoney(spent)} so far, ${byItsEnd(atPresentRate)} at the present rate of ${rateText(rate)}${rateDetails(rate)}.`,
    ...(missing.length === 0
      ? []
      : [`The lists of ${missing.join(', ')} could not be read: names and idle ones of them are missing.`]),
  ];
}

const overBudget = (total: Money, budget: Money, last: string): Failure =>
  new Failure({
    code: 'limit-exceeded',
    exit: EXIT.limitExceeded,
    message: `${formatMoney(total)} is above the budget of ${formatMoney(budget)} by ${formatMoney(total.minus(budget))}`,
    hint: sentence`See what costs most: ${berth`billing report --last ${last}`}`,
  });
