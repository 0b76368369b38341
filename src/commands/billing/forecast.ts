import Big from 'big.js';
import { type DayCost, type Money, NOTHING, sum } from './costs.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../core/unit-types.ts';

interface Forecast {
  readonly month: string;
  readonly spent: Money;
  readonly perDay: Money;
  /** Whole days that `perDay` is the average of. */
  readonly days: number;
  readonly total: Money;
  readonly atPresentRate: Money;
}

const MAX_DAYS = 7;

export const dayStart = (at: EpochMs): EpochMs => Math.floor(at / DAY_MS) * DAY_MS;
export const monthStart = (at: EpochMs, months = 0): EpochMs =>
  Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth() + months, 1);
export const forecastStart = (now: EpochMs): EpochMs => Math.min(monthStart(now), dayStart(now) - MAX_DAYS * DAY_MS);

/** Rounded to a hundredth of a cent. */
const scaled = (amount: Money, numerator: number, denominator: number): Money =>
  amount.times(numerator).div(denominator).round(4);

/** UTC: spent, plus the rest at the average of up to seven whole days or at the present hourly rate. */
export function forecast(days: readonly DayCost[], now: EpochMs, perHour: number): Forecast {
  const [month, today] = [monthStart(now), dayStart(now)];
  const within = (from: number, to: number): readonly DayCost[] =>
    days.filter(({ startTime }) => Date.parse(startTime) >= from && Date.parse(startTime) < to);
  const spent = sum(within(month, today + DAY_MS).map(({ total }) => total));
  const recent = within(today - MAX_DAYS * DAY_MS, today);
  const first = Math.min(...recent.filter(({ total }) => total.gt(0)).map(({ startTime }) => Date.parse(startTime)));
  const count = Number.isFinite(first) ? Math.round((today - dayStart(first)) / DAY_MS) : 0;
  const perDay = count === 0 ? NOTHING : scaled(sum(recent.map(({ total }) => total)), 1, count);
  const leftMs = monthStart(now, 1) - now;
  return {
    month: new Date(month).toISOString().slice(0, 7),
    spent,
    perDay,
    days: count,
    total: spent.plus(scaled(perDay, leftMs, DAY_MS)),
    atPresentRate: spent.plus(scaled(new Big(perHour), leftMs, HOUR_MS)),
  };
}
