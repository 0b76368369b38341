import { DAY_MS } from '../../../core/durations.ts';
import { berth, type Message, sentence } from '../../../core/message.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, usage } from '../../../core/failure.ts';
import { formatDuration, parseDuration } from '../../../core/units.ts';
import type { EpochMs } from '../../../core/unit-types.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { isTableOutput } from '../../../output/formats/format-table.ts';
import type { Result } from '../../../output/view.ts';
import { costReport, type CostReport } from './document.ts';
import type { Grouping } from './costs.ts';
import { fetchFacts, type Facts } from './fetch.ts';
import { rateDetails, rateText } from '../../shared/rate/hourly-cost.ts';
import { dayStart, forecastStart, monthStart } from './forecast.ts';
import { formatMoney, parseMoney, type Money } from './money.ts';
import { costView, legend } from './report-view.ts';

export interface ReportValues {
  /** A duration, or `month`. */
  readonly last: string | undefined;
  readonly by: Grouping;
  readonly budget: string | undefined;
}

/** The value of `--last` for the calendar month, in UTC, up to now. */
const MONTH = 'month';
const DEFAULT_LAST = '30d';

/**
 * Shows what everything cost, what of it is idle, and what the month is going to cost. Fails with usage (2) for a budget
 * that is no amount, with limit-exceeded (15) after the report when the total is above the budget, and as the reports
 * of the service do.
 */
export async function costs(ctx: CommandContext, values: ReportValues): Promise<Result> {
  const budget = values.budget === undefined ? undefined : budgetOf(values.budget);
  const now = await ctx.fetchServiceNow({ overHttp: true });
  // A budget is one of a month, unless another time is asked for.
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

/** The start of the first of so many whole days, as the service counts them: today, and the days before it. */
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

/** Idle resources that are named one by one. */
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
