import { DAY_MS, HOUR_MS } from '../../../core/durations.ts';
import type { DayCost } from './costs.ts';
import { moneyOf, NOTHING, scaled, sum, type Money } from './money.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** What the month of a time is going to cost. */
export interface Forecast {
  /** `2026-01`. */
  readonly month: string;
  readonly spent: Money;
  /** The average of the last whole days. */
  readonly perDay: Money;
  /** How many days that average is of; 0 when there is none. */
  readonly days: number;
  /** By the average of the last whole days. */
  readonly total: Money;
  /** At what everything that is there costs now. */
  readonly atPresentRate: Money;
}

const MAX_DAYS = 7;

/** The first time of which the forecast needs the days. */
export const forecastStart = (now: EpochMs): EpochMs => Math.min(monthStart(now), dayStart(now) - MAX_DAYS * DAY_MS);

/**
 * Forecasts the cost of the month that has `now`, in UTC, in two ways: what was spent, and for the time that is left the
 * average of the last seven whole days, or of those since the first day with a cost; or the present rate, in US dollars
 * an hour.
 */
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

/** The start of the day of a time, in UTC. */
export const dayStart = (at: number): EpochMs => Math.floor(at / DAY_MS) * DAY_MS;
/** The start of the calendar month of a time, in UTC. */
export const monthStart = (at: number): EpochMs =>
  Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth(), 1);
const nextMonth = (at: number): number => Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth() + 1, 1);
