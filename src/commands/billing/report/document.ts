import type { Json, JsonObject } from '../../../core/json.ts';
import { formatTimestamp } from '../../../core/text/timestamp.ts';
import { RATE_PARTS, type Rate } from '../../shared/rate/hourly-cost.ts';
import { DAY_PARTS, PARTS, type DayCost, type Grouping, type ResourceCost } from './costs.ts';
import type { Facts } from './fetch.ts';
import { forecast, type Forecast } from './forecast.ts';
import { idleResources } from './idle.ts';
import { formatMoney, moneyJson, moneyOf, sum, type Money } from './money.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** A report: its rows, and what is told beside them. */
export interface CostReport {
  readonly document: JsonObject & { readonly from: string; readonly to: string; readonly rows: readonly Json[] };
  /** Of everything in the time of the report. */
  readonly total: Money;
  /** What is in no row, because the rows are of one kind. */
  readonly elsewhere: Money;
  readonly forecast: Forecast;
  /** Each as a sentence: what it is, and what it cost. */
  readonly idle: readonly string[];
}

/** Makes the report of the time from `start` (the start of a day) to `now`. */
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

/** US dollars an hour, in millionths: the float error of a sum is left out. */
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
