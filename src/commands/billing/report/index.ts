import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, usage } from '../../../core/failure.ts';
import { formatDuration } from '../../../core/units.ts';
import type { CommandContext } from '../../../cli/context.ts';
import { isTableOutput } from '../../../output/formats/format-table.ts';
import type { Result } from '../../../output/view.ts';
import { costReport, type CostReport, type Grouping } from './document.ts';
import { fetchFacts, type Facts } from './fetch.ts';
import { forecastStart } from './forecast.ts';
import { formatMoney, parseMoney, type Money } from './money.ts';
import { costView, legend } from './view.ts';

export interface ReportValues {
  /** Milliseconds. */
  readonly last: number;
  readonly by: string | undefined;
  readonly budget: string | undefined;
}

const DAY_MS = 86_400_000;

/**
 * Shows what everything cost, what of it is idle, and what the month is going to cost. Fails with usage (2) for a budget
 * that is no amount, with limit-exceeded (15) after the report when the total is above the budget, and as the reports
 * of the service do.
 */
export async function costs(ctx: CommandContext, values: ReportValues): Promise<Result> {
  const budget = values.budget === undefined ? undefined : budgetOf(values.budget);
  const by = values.by as Grouping;
  const now = await ctx.fetchServiceNow();
  if (values.last < DAY_MS || values.last > now)
    throw usage(
      `--last is at least a day, and not ${formatDuration(values.last)}`,
      'Costs are summed up by the day: --last 30d.',
    );
  // Whole days, as the service counts them: today, and the days before it.
  const start = (Math.floor(now / DAY_MS) + 1 - Math.ceil(values.last / DAY_MS)) * DAY_MS;
  const facts = await fetchFacts(ctx, start, Math.min(start, forecastStart(now)));
  const report = costReport(facts, by, start, now, budget);
  const { rows } = report.document;
  const isTable = isTableOutput(ctx.output);
  return {
    kind: 'many',
    view: costView(by, rows, ctx.terminal.output),
    values: rows,
    whole: { document: report.document, member: 'rows' },
    notes: isTable ? notesOf(ctx, report, facts, by, budget) : [],
    failure: budget !== undefined && report.total.gt(budget) ? overBudget(report.total, budget) : undefined,
  };
}

function budgetOf(text: string): Money {
  const budget = parseMoney(text);
  if (budget === undefined)
    throw usage(`--budget is not an amount in US dollars: ${JSON.stringify(text)}`, 'Write 500 or 99.90.');
  return budget;
}

/** Idle resources that are named one by one. */
const MAX_IDLE = 10;

function notesOf(
  { terminal }: CommandContext,
  { document, total, elsewhere, forecast, idle }: CostReport,
  { missing }: Facts,
  by: Grouping,
  budget: Money | undefined,
): readonly string[] {
  const [from, to] = [document.from.slice(0, 10), document.to.slice(0, 10)];
  const { month, spent, perDay, days } = forecast;
  const above =
    budget !== undefined && forecast.total.gt(budget)
      ? `, which would be above the budget of ${formatMoney(budget)}`
      : '';
  return [
    `Total ${formatMoney(total)} from ${from} to ${to} (UTC)${terminal.output && document.rows.length > 0 ? `; ${legend(by)}` : ''}.`,
    ...(elsewhere.eq(0) ? [] : [`${formatMoney(elsewhere)} of it is not in this table: see berth billing report.`]),
    ...idle.slice(0, MAX_IDLE).map(({ what, cost }) => `Idle: ${what}; it cost ${formatMoney(cost)}.`),
    ...(idle.length > MAX_IDLE ? [`And ${idle.length - MAX_IDLE} more are idle: see --json.`] : []),
    ...(days === 0
      ? []
      : [
          `${month}: ${formatMoney(spent)} so far, about ${formatMoney(forecast.total)} by its end at ${formatMoney(perDay)} a day (the average of the last ${days === 1 ? 'day' : `${days} days`})${above}.`,
        ]),
    ...(missing.length === 0
      ? []
      : [`The lists of ${missing.join(', ')} could not be read: names and idle ones of them are missing.`]),
  ];
}

const overBudget = (total: Money, budget: Money): Failure =>
  new Failure({
    code: 'limit-exceeded',
    exit: EXIT.limitExceeded,
    message: `${formatMoney(total)} is above the budget of ${formatMoney(budget)} by ${formatMoney(total.minus(budget))}`,
    hint: 'See what costs most: berth billing report --by pod',
  });
