import { type Rate, RATE_PARTS } from '../../cli/money/hourly-cost.ts';
import {
  DAY_PARTS,
  type DayCost,
  formatMoney,
  type Grouping,
  type Money,
  moneyJson,
  moneyOf,
  NOTHING,
  PARTS,
  type ResourceCost,
  scaled,
  sum,
} from './costs.ts';
import { type Facts, idleResources } from './facts.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../core/unit-types.ts';
import { formatTimestamp } from '../../core/units.ts';

export interface Forecast {
  readonly month: string;
  readonly spent: Money;
  readonly perDay: Money;
  readonly days: number;
  readonly total: Money;
  /** At what everything costs now. */
  readonly atPresentRate: Money;
}

const MAX_DAYS = 7;

export const forecastStart = (now: EpochMs): EpochMs => Math.min(monthStart(now), dayStart(now) - MAX_DAYS * DAY_MS);

/** UTC: spent, plus the rest at the average of up to seven full days or at the present hourly rate. */
export function forecast(days: readonly DayCost[], now: EpochMs, perHour: number): Forecast {
  const [month, today] = [monthStart(now), dayStart(now)];
  const within = (from: number, to: number): readonly DayCost[] =>
    days.filter(({ startTime }) => Date.parse(startTime) >= from && Date.parse(startTime) < to);
  const spent = sum(within(month, today + DAY_MS).map(({ total }) => total));
  const recent = within(today - MAX_DAYS * DAY_MS, today);
  const first = Math.min(...recent.filter(({ total }) => total.gt(0)).map(({ startTime }) => Date.parse(startTime)));
  const count = Number.isFinite(first) ? Math.round((today - dayStart(first)) / DAY_MS) : 0;
  const perDay = count === 0 ? NOTHING : scaled(sum(recent.map(({ total }) => total)), 1, count);
  const leftMs = nextMonth(now) - now;
  return {
    month: new Date(month).toISOString().slice(0, 7),
    spent,
    perDay,
    days: count,
    total: spent.plus(scaled(perDay, leftMs, DAY_MS)),
    atPresentRate: spent.plus(scaled(moneyOf(perHour), leftMs, HOUR_MS)),
  };
}

export const dayStart = (at: number): EpochMs => Math.floor(at / DAY_MS) * DAY_MS;
export const monthStart = (at: number): EpochMs =>
  Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth(), 1);
const nextMonth = (at: number): number => Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth() + 1, 1);

export interface CostReport {
  readonly document: JsonObject & { readonly from: string; readonly to: string; readonly rows: readonly Json[] };
  readonly total: Money;
  /** In no row, because the rows are of one kind. */
  readonly elsewhere: Money;
  readonly forecast: Forecast;
  readonly idle: readonly string[];
}

/** From `start` (the start of a day) to `now`. */
export function costReport(
  facts: Facts,
  by: Grouping,
  start: number,
  now: EpochMs,
  budget: Money | undefined,
): CostReport {
  const days = facts.days.filter(({ startTime }) => Date.parse(startTime) >= start);
  // Of the same records as the rows, because costs grow from one request to the next.
  const total = sum((by === 'day' ? days : facts.costs).map((each) => each.total));
  const costs = facts.costs
    .filter(({ kind }) => by === undefined || kind === by)
    .toSorted((a, b) => b.total.cmp(a.total) || (a.id < b.id ? -1 : 1));
  const rows = by === 'day' ? days.map(dayRow) : costs.map((cost) => resourceRow(cost, facts.names));
  const shown = by === 'day' ? total : sum(costs.map((cost) => cost.total));
  const elsewhere = total.minus(shown);
  const idle = idleResources(facts.fleet).map(({ kind, id, why, diskOnly = false }) => {
    const costs = facts.costs.filter((cost) => cost.kind === kind && cost.id === id);
    const cost = sum(costs.map(({ total, parts }) => (diskOnly ? parts.storage : total)));
    return { about: { kind, id, name: facts.names.get(id) ?? null, why }, diskOnly, cost };
  });
  const month = forecast(facts.days, now, facts.rate.total);
  return {
    document: {
      from: formatTimestamp(start),
      to: formatTimestamp(now),
      by: by ?? 'resource',
      totalUsd: moneyJson(total),
      elsewhereUsd: moneyJson(elsewhere),
      rows,
      idle: idle.map(({ about, cost }) => ({ ...about, costUsd: moneyJson(cost) })),
      forecast: {
        month: month.month,
        spentUsd: moneyJson(month.spent),
        perDayUsd: moneyJson(month.perDay),
        averageOfDays: month.days,
        totalUsd: moneyJson(month.total),
        atPresentRateUsd: moneyJson(month.atPresentRate),
        atPresentRateIsAtLeast: facts.rate.unknown.length > 0,
      },
      rate: rateJson(facts.rate),
      budget: budget === undefined ? null : { usd: moneyJson(budget), exceeded: total.gt(budget) },
      unread: facts.missing,
    },
    total,
    elsewhere,
    forecast: month,
    idle: idle.map(({ about: { kind, id, name, why }, diskOnly, cost }) => {
      const what = `${kind} ${name === null || name === '' ? id : `${name} (${id})`} ${why}`;
      return `Idle: ${what}; in this time ${diskOnly ? 'the disk' : 'it'} cost ${formatMoney(cost)}${kind === 'volume' || diskOnly ? '' : ' in all'}.`;
    }),
  };
}

/** US dollars an hour, rounded to millionths to drop the float error of the sum. */
function rateJson({ total, parts, unknown }: Rate): Json {
  const amounts = RATE_PARTS.map((part) => [`${part}Usd`, exactRate(parts[part] ?? 0)] as const);
  return { totalUsd: exactRate(total), ...Object.fromEntries(amounts), unknown };
}

const exactRate = (perHour: number): Json => moneyJson(moneyOf(perHour).round(6));

const resourceRow = ({ kind, id, total, parts }: ResourceCost, names: ReadonlyMap<string, string>): Json => ({
  kind,
  id,
  name: names.get(id) ?? null,
  totalUsd: moneyJson(total),
  ...Object.fromEntries(PARTS.map((part) => [`${part}Usd`, moneyJson(parts[part])])),
});

const dayRow = ({ startTime, total, kinds }: DayCost): Json => ({
  day: startTime.slice(0, 10),
  totalUsd: moneyJson(total),
  ...Object.fromEntries(DAY_PARTS.map((part) => [`${part}Usd`, moneyJson(kinds[part])])),
});
