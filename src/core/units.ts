import { usage } from './failure.ts';
import type { Bytes, Milliseconds } from './unit-types.ts';

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
export type TimeUnit = keyof typeof UNITS;

/**
 * Parses a duration: `90s`, `5m`, `1h30m`, `1.5h`, or a number without a unit, in the unit `bare`.
 * Fails with usage (2) for anything else, including negative values, and for more than a day in seconds without a unit: it
 * may be in milliseconds, as the service counts.
 */
export function parseDuration(text: string, bare: TimeUnit, what: string): Milliseconds {
  const trimmed = text.trim();
  if (/^\d+(\.\d+)?$/.test(trimmed)) {
    const count = Number(trimmed);
    if (bare === 's' && count * UNITS.s > UNITS.d)
      throw usage(
        `${what} needs a unit: ${trimmed}`,
        `Write ${trimmed}s, which is ${formatDuration(count * UNITS.s)}, or ${count / UNITS.s}s, if these are milliseconds.`,
      );
    return Math.round(count * UNITS[bare]);
  }
  const parts = [...trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/g)];
  if (parts.length === 0 || parts.map((part) => part[0]).join('') !== trimmed)
    throw usage(
      `${what} is not a duration: ${JSON.stringify(text)}`,
      `Write 90s, 5m, 1h30m or 3d, or a number of ${unitName(bare)}.`,
    );
  return Math.round(parts.reduce((sum, part) => sum + Number(part[1]) * UNITS[part[2] as TimeUnit], 0));
}

/** The same where no unit is obvious, so that a number alone is refused, but for 0: usage (2). */
export function parseDurationWithUnit(text: string, what: string): number {
  const trimmed = text.trim();
  if (/^\d+(\.\d+)?$/.test(trimmed) && Number(trimmed) > 0)
    throw usage(`${what} needs a unit: ${trimmed}`, `Write ${trimmed}s, ${trimmed}m, ${trimmed}h or ${trimmed}d.`);
  return parseDuration(trimmed, 'h', what);
}

const unitName = (unit: TimeUnit): string =>
  ({ ms: 'milliseconds', s: 'seconds', m: 'minutes', h: 'hours', d: 'days', w: 'weeks' })[unit];

/** Formats a duration so that it parses as exactly the same: `4h`, `90m`, `1500ms`. */
export function exactDuration(milliseconds: Milliseconds): string {
  const units = ['w', 'd', 'h', 'm', 's'] as const;
  const unit = units.find((each) => milliseconds > 0 && milliseconds % UNITS[each] === 0);
  return unit === undefined ? `${milliseconds}ms` : `${milliseconds / UNITS[unit]}${unit}`;
}

/** Formats a duration for people in at most two units: `0s`, `450ms`, `12s`, `3m 20s`, `2h 5m`, `4d 3h`. */
export function formatDuration(milliseconds: Milliseconds): string {
  const whole = Math.round(milliseconds);
  if (whole === 0) return '0s';
  if (whole < 1000) return `${whole}ms`;
  const seconds = Math.floor(whole / 1000);
  const steps = [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
    ['s', 1],
  ] as const;
  const first = steps.findIndex(([, size]) => seconds >= size);
  const parts: string[] = [];
  let left = seconds;
  for (const [unit, size] of steps.slice(first, first + 2)) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${count}${unit}`);
  }
  return parts.join(' ');
}

/** Formats bytes for people in powers of 1000, as the service counts its limits: `10 MB`, `9.5 MB`, `812 B`. */
export function formatBytes(bytes: Bytes): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1000 ** step;
  return `${step === 0 ? String(value) : String(Math.round(value * 10) / 10)} ${units[step] ?? 'B'}`;
}

/** The smallest amount that is shown in digits, in US dollars. */
const MIN_SHOWN_DOLLARS = 0.0001;

/** Formats US dollars with two decimals, or four for a small amount, or `decimals`: `$0.00`, `$1.24`, `$0.0034`, `<$0.0001`. */
export function formatDollars(amount: number, decimals = decimalsOf(amount)): string {
  if (amount !== 0 && Math.abs(amount) < MIN_SHOWN_DOLLARS / 2)
    return amount > 0 ? `<$${MIN_SHOWN_DOLLARS}` : `>$-${MIN_SHOWN_DOLLARS}`;
  return `$${amount.toFixed(decimals)}`;
}

/** How many decimals `formatDollars` shows of an amount in US dollars. */
export const decimalsOf = (amount: number): number => (amount !== 0 && Math.abs(amount) < 0.1 ? 4 : 2);

/**
 * Formats the parts of a sum, so that those that are shown add up to the sum as `formatDollars` shows it: all are rounded down,
 * and those that lost most get the cents that are left. A part of less than a cent may be shown as `<$0.01`. Parts that are
 * not all of the sum are formatted alone.
 */
export function formatDollarParts(parts: readonly number[], sum: number): readonly string[] {
  const decimals = decimalsOf(sum);
  const scale = 10 ** decimals;
  const missing = sum - parts.reduce((total, part) => total + part, 0);
  if (Math.abs(missing) * scale >= 0.5) return parts.map((part) => formatDollars(part));
  const cents = parts.map((part) => Math.floor(part * scale));
  const left = Math.round(Number(sum.toFixed(decimals)) * scale) - cents.reduce((total, each) => total + each, 0);
  const lost = (at: number): number => (parts[at] ?? 0) * scale - (cents[at] ?? 0);
  const raised = new Set([...parts.keys()].sort((a, b) => lost(b) - lost(a)).slice(0, Math.max(0, left)));
  return cents.map((each, at) => {
    const shown = (each + (raised.has(at) ? 1 : 0)) / scale;
    return shown === 0 && (parts[at] ?? 0) > 0 ? `<$${1 / scale}` : `$${shown.toFixed(decimals)}`;
  });
}

/** What something costs over a span of time, by its cost an hour: both in US dollars. */
export const costOver = (perHour: number, milliseconds: Milliseconds): number => (perHour * milliseconds) / UNITS.h;

/** A price of the catalog: `$1.12/hr`; empty where there is none. */
export const hourlyPrice = (price: number | undefined): string =>
  price === undefined || price === 0 ? '' : `${formatDollars(price)}/hr`;

/** A lower and an upper bound in US dollars. */
export interface DollarRange {
  readonly low: number;
  readonly high: number;
}

/** Formats a range: `$1.12 to $1.90`, or one amount when both are formatted the same. */
export function formatDollarRange({ low, high }: DollarRange): string {
  const [least, most] = [formatDollars(low), formatDollars(high)];
  return least === most ? least : `${least} to ${most}`;
}
