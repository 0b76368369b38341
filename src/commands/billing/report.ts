import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { COUNT } from '../../cli/model/common-schemas.ts';
import {
  either,
  manyOf,
  NUMBER,
  oneOf,
  orNull,
  type OutputSchema,
  ownObject,
  TEXT,
  TIME,
  YES_NO,
} from '../../cli/model/output-schema.ts';
import { option } from '../../cli/model/params.ts';
import { RATE_PARTS, type Rate, rateInFull } from '../../cli/rate.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import Big from 'big.js';
import { DAY_PARTS, formatMoney, type Money, moneyJson, parseMoney, RESOURCE_PARTS, sum, usd } from './costs.ts';
import { type Facts, fetchFacts } from './facts.ts';
import { dayStart, forecast, forecastStart, monthStart } from './forecast.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { DAY_MS, type EpochMs } from '../../core/unit-types.ts';
import { formatDuration, formatTimestamp, parseDuration } from '../../core/units.ts';
import { money, text } from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { type Column, idOf, type View } from '../../output/view.ts';

const GROUPINGS = ['pod', 'endpoint', 'volume', 'cluster', 'day'] as const;
type Grouping = (typeof GROUPINGS)[number] | undefined;

const partsOf = (by: Grouping): readonly string[] => Object.keys(by === 'day' ? DAY_PARTS : RESOURCE_PARTS);

const amounts = (parts: readonly string[]): Readonly<Record<string, OutputSchema>> =>
  Object.fromEntries(['total', ...parts].map((part) => [`${part}Usd`, NUMBER]));

const COST_REPORT = ownObject({
  from: TIME,
  to: TIME,
  by: oneOf('resource', ...GROUPINGS),
  totalUsd: NUMBER,
  elsewhereUsd: NUMBER,
  rows: manyOf(
    either(
      ownObject({ kind: TEXT, id: TEXT, name: orNull(TEXT), ...amounts(partsOf(undefined)) }),
      ownObject({ day: TEXT, ...amounts(partsOf('day')) }),
    ),
  ),
  idle: manyOf(ownObject({ kind: TEXT, id: TEXT, name: orNull(TEXT), why: TEXT, costUsd: NUMBER })),
  forecast: ownObject({
    month: TEXT,
    spentUsd: NUMBER,
    perDayUsd: NUMBER,
    averageOfDays: COUNT,
    totalUsd: NUMBER,
    atPresentRateUsd: NUMBER,
    atPresentRateIsAtLeast: YES_NO,
  }),
  rate: ownObject({ ...amounts(RATE_PARTS), unknown: manyOf(TEXT) }),
  budget: orNull(ownObject({ usd: NUMBER, exceeded: YES_NO })),
  unread: manyOf(TEXT),
});

/** The calendar month in UTC, up to now. */
const MONTH = 'month';

export const report = defineCommand({
  output: COST_REPORT,
  summary: 'show what costs most, what is idle, and what the month will cost',
  details:
    'Idle are pods in ERROR, endpoints with idle workers only, and volumes that nothing mounts. Days are UTC. Container disks have no published price and are not in the forecast.',
  options: {
    last: option.text('whole days until now, or the calendar month (default 30d)', { metavar: 'TIME|month' }),
    by: option.choice('what a row is (default: every resource)', GROUPINGS),
    budget: option.text('end 15 when this month (or --last) cost more', { metavar: 'USD' }),
  },
  exits: [EXIT.limitExceeded],
  examples: [
    ['berth billing report', 'what costs most'],
    ['berth billing report --by day --last 7d', 'the last days'],
    ['berth billing report --budget 2000', 'end 15 when this month cost more than 2000 dollars'],
  ],
  run: async (ctx, { by, ...values }) => {
    const budget = values.budget === undefined ? undefined : budgetOf(values.budget);
    const now = await ctx.fetchServiceNow({ overHttp: true });
    const last = values.last ?? (budget === undefined ? '30d' : MONTH);
    const start = last === MONTH ? monthStart(now) : startOf(last, now);
    const facts = await fetchFacts(ctx, start, Math.min(start, forecastStart(now)), dayStart(now) + DAY_MS);
    const { rows, total, elsewhere } = rowsOf(facts, by, start);
    const month = forecast(facts.days, now, facts.rate.total);
    const idle = facts.idle.map(({ kind, id, why, diskOnly }) => {
      const costs = facts.costs.filter((cost) => cost.kind === kind && cost.id === id);
      const cost = sum(costs.map((each) => (diskOnly ? (each.parts['storage'] ?? each.total) : each.total)));
      return { kind, id, name: nameIn(facts, kind, id), why, cost };
    });
    const isOver = budget !== undefined && total.gt(budget);
    const { spent, perDay, atPresentRate } = month;
    const document = {
      from: formatTimestamp(start),
      to: formatTimestamp(now),
      by: by ?? 'resource',
      ...usd({ total, elsewhere }),
      rows,
      idle: idle.map(({ cost, ...row }) => ({ ...row, ...usd({ cost }) })),
      forecast: {
        month: month.month,
        ...usd({ spent, perDay }),
        averageOfDays: month.days,
        ...usd({ total: month.total, atPresentRate }),
        atPresentRateIsAtLeast: facts.rate.unknown.length > 0,
      },
      rate: rateJson(facts.rate),
      budget: budget === undefined ? null : { usd: moneyJson(budget), exceeded: isOver },
      unread: facts.missing,
    };
    const about = (amount: Money): string =>
      `${month.month}: ${formatMoney(month.spent)} so far, about ${formatMoney(amount)} by its end${budget !== undefined && last === MONTH && amount.gt(budget) ? `, above the budget of ${formatMoney(budget)},` : ''}`;
    const notes: readonly Message[] = [
      `Total ${formatMoney(total)} from ${document.from.slice(0, 10)} to ${document.to.slice(0, 10)} (UTC)${ctx.terminal.output && rows.length > 0 ? `; ${legend(by)}` : ''}.`,
      ...(elsewhere.eq(0)
        ? []
        : [sentence`${formatMoney(elsewhere)} of it is not in this table: ${berth`billing report --last ${last}`}`]),
      ...idle.map(
        ({ kind, id, name, why, cost }) =>
          `Idle: ${kind} ${name ? `${name} (${id})` : id} ${why}: ${formatMoney(cost)}`,
      ),
      ...(month.days === 0 ? [] : [`${about(month.total)} at ${formatMoney(month.perDay)} a day.`]),
      `${about(month.atPresentRate)} at the present rate of ${rateInFull(facts.rate)}.`,
      ...(facts.missing.length === 0 ? [] : [`Could not list ${facts.missing.join(', ')}.`]),
    ];
    return {
      kind: 'many',
      view: viewOf(ctx, by, rows, facts),
      values: rows,
      whole: { document, member: 'rows' },
      notes: isTableOutput(ctx.output) ? notes : [],
      failure: isOver ? overBudget(total, budget, last) : undefined,
    };
  },
});

/** `elsewhere` is in no row, because the rows are of one kind. */
function rowsOf(
  facts: Facts,
  by: Grouping,
  start: EpochMs,
): { readonly rows: readonly Json[]; readonly total: Money; readonly elsewhere: Money } {
  if (by === 'day') {
    const days = facts.days.filter(({ startTime }) => Date.parse(startTime) >= start);
    const total = sum(days.map((day) => day.total));
    const rows = days.map((day) => ({ day: day.startTime.slice(0, 10), ...usd({ total: day.total, ...day.parts }) }));
    return { rows, total, elsewhere: total.minus(total) };
  }
  const total = sum(facts.costs.map((cost) => cost.total));
  const shown = facts.costs
    .filter(({ kind }) => by === undefined || kind === by)
    .toSorted((a, b) => b.total.cmp(a.total) || (a.id < b.id ? -1 : 1));
  return {
    rows: shown.map((cost) => ({
      kind: cost.kind.replace('-', ' '),
      id: cost.id,
      name: nameIn(facts, cost.kind, cost.id),
      ...usd({ total: cost.total, ...cost.parts }),
    })),
    total,
    elsewhere: total.minus(sum(shown.map((cost) => cost.total))),
  };
}

const nameIn = ({ lists }: Facts, kind: string, id: string): string | null =>
  stringAt(
    Object.entries(lists)
      .find(([key]) => key === kind)?.[1]
      .find((row) => idOf(row) === id) ?? null,
    'name',
  ) ?? null;

/** US dollars an hour, rounded to millionths to drop the float error of the sum. */
function rateJson({ total, parts, unknown }: Rate): Json {
  const amounts = RATE_PARTS.map((part) => [part, new Big(parts[part] ?? 0).round(6)] as const);
  return { ...usd({ total: new Big(total).round(6), ...Object.fromEntries(amounts) }), unknown };
}

function startOf(last: string, now: EpochMs): EpochMs {
  const lastMs = parseDuration(last, 'd', '--last');
  if (lastMs < DAY_MS || lastMs > now)
    throw usage(`--last must be at least a day, not ${formatDuration(lastMs)}`, 'Use --last 30d, or --last month.');
  return dayStart(now) + (1 - Math.ceil(lastMs / DAY_MS)) * DAY_MS;
}

function budgetOf(amount: string): Money {
  const budget = parseMoney(amount);
  if (budget === undefined)
    throw usage(`--budget is not an amount in US dollars: ${JSON.stringify(amount)}`, 'Write 500 or 99.90.');
  return budget;
}

const overBudget = (total: Money, budget: Money, last: string): Failure =>
  new Failure({
    code: 'limit-exceeded',
    exit: EXIT.limitExceeded,
    message: `${formatMoney(total)} is above the budget of ${formatMoney(budget)} by ${formatMoney(total.minus(budget))}`,
    hint: sentence`See what costs most: ${berth`billing report --last ${last}`}`,
  });

/** Distinguishable without colour. */
const FILLS = ['█', '▓', '▒', '░'] as const;
const BAR_LENGTH = 16;

const legend = (by: Grouping): string =>
  partsOf(by)
    .map((part, at) => `${FILLS[at] ?? ''} ${part === 'gpu' || part === 'cpu' ? part.toUpperCase() : part}`)
    .join(', ');

/** Bars on a terminal, relative to the largest total. */
function viewOf({ terminal }: CommandContext, by: Grouping, rows: readonly Json[], { lists }: Facts): View {
  const parts = partsOf(by);
  const valueAt = (row: Json, member: string): number => Math.max(0, numberAt(row, member) ?? 0);
  const most = Math.max(0, ...rows.map((row) => valueAt(row, 'totalUsd')));
  const bar = (row: Json): string => {
    const total = valueAt(row, 'totalUsd');
    if (most === 0 || total === 0) return ' ';
    const length = Math.max(1, Math.round((total / most) * BAR_LENGTH));
    let upTo = 0;
    // The running sum is rounded, so that the lengths add up.
    const ends = parts.map((part) =>
      Math.round((Math.min((upTo += valueAt(row, `${part}Usd`)), total) / total) * length),
    );
    return ends.map((end, at) => (FILLS[at] ?? '').repeat(end - (ends[at - 1] ?? 0))).join('');
  };
  const nameOf = (row: Json): string => {
    const [name, id, kind] = ['name', 'id', 'kind'].map((member) => stringAt(row, member) ?? '');
    const isRead = Object.keys(lists).includes(kind ?? '') && memberAt(row, 'name') === null;
    if (name !== '' && name !== undefined) return name;
    return isRead ? (kind === 'pod' ? '(terminated)' : '(deleted)') : (id ?? '');
  };
  const dollars = (part: string): Column => ({ header: part.toUpperCase(), show: money(`${part}Usd`), right: true });
  return {
    noun: ['cost', 'costs'],
    id: text(by === 'day' ? 'day' : 'id'),
    columns: [
      ...(by === 'day'
        ? [{ header: 'DAY (UTC)', show: text('day'), cutLast: true }]
        : [
            { ...textColumn('name'), show: nameOf },
            { header: by === undefined ? 'ID' : by.toUpperCase(), show: text('id'), cutLast: true },
            ...(by === undefined ? [textColumn('kind')] : []),
          ]),
      dollars('total'),
      ...(terminal.output ? [{ header: 'CHART', show: bar, dropFirst: true, cutLast: true }] : []),
      ...parts.map((part): Column => ({ ...dollars(part), dropFirst: true })),
    ],
  };
}
