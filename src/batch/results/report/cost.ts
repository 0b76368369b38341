import { HOUR_MS } from '../../../core/durations.ts';
import type { DollarRange } from '../../../core/units.ts';

/** Significant digits of an amount; further digits are rounding errors. */
const SIGNIFICANT_DIGITS = 12;

/** Returns the cost of an execution time in milliseconds, at a price per hour. */
export function executionCost(perHour: DollarRange, milliseconds: number): DollarRange {
  const cost = (dollars: number): number =>
    Number(((dollars * milliseconds) / HOUR_MS).toPrecision(SIGNIFICANT_DIGITS));
  return { low: cost(perHour.low), high: cost(perHour.high) };
}
