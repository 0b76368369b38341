import { usage } from './failure.ts';
import { type Bytes, DAY_MS, type EpochMs, type Milliseconds } from './unit-types.ts';

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

/** The result parses as exactly the same duration. */
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

/** US dollars. */
const MIN_SHOWN_DOLLARS = 0.0001;

/** Formats US dollars with two decimals, or four for a small amount, or `decimals`: `$0.00`, `$1.24`, `$0.0034`, `<$0.0001`. */
export function formatDollars(amount: number, decimals = decimalsOf(amount)): string {
  if (amount !== 0 && Math.abs(amount) < MIN_SHOWN_DOLLARS / 2)
    return amount > 0 ? `<$${MIN_SHOWN_DOLLARS}` : `>$-${MIN_SHOWN_DOLLARS}`;
  return `$${amount.toFixed(decimals)}`;
}

export const decimalsOf = (amount: number): number => (amount !== 0 && Math.abs(amount) < 0.1 ? 4 : 2);

/** The parts shown add up to the sum shown: rounded down, then those that lost most get the remaining cents. */
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

export const costOver = (perHour: number, milliseconds: Milliseconds): number => (perHour * milliseconds) / UNITS.h;

export const hourlyPrice = (price: number | undefined): string =>
  price === undefined || price === 0 ? '' : `${formatDollars(price)}/hr`;

export interface DollarRange {
  readonly low: number;
  readonly high: number;
}

export function formatDollarRange({ low, high }: DollarRange): string {
  const [least, most] = [formatDollars(low), formatDollars(high)];
  return least === most ? least : `${least} to ${most}`;
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?(?:[Zz]|([+-]\d\d):?(\d\d))$/;

interface TimestampOptions {
  readonly now: EpochMs;
  /** A date without a time means the end of that day instead of its start. */
  readonly endOfDay?: boolean;
}

interface Timestamp {
  readonly at: EpochMs;
  /** RFC 3339, as the service expects it. A full time keeps its zone and all its digits. */
  readonly text: string;
}

/** A date means its start in UTC; `7d` means 7 days ago. Fails with usage (2). */
export function parseTimestamp(text: string, what: string, { now, endOfDay = false }: TimestampOptions): Timestamp {
  const trimmed = text.trim();
  const [, full, minute = '', second = ':00', hours = '', minutes = ''] = TIMESTAMP.exec(trimmed) ?? [];
  const date = full ?? (DATE.test(trimmed) ? trimmed : undefined);
  if (date !== undefined) {
    const zone = hours === '' ? 'Z' : `${hours}:${minutes}`;
    const written = full === undefined ? date : `${date}T${minute}${second}${zone}`;
    const at = Date.parse(written);
    if (Number.isNaN(at) || !isOnCalendar(date)) throw usage(`${what} is not on the calendar: ${trimmed}`);
    return full === undefined ? timestampAt(at + (endOfDay ? DAY_MS : 0)) : { at, text: written };
  }
  if (/^\d{4}-\d\d-\d\d[Tt ]/.test(trimmed))
    throw usage(`${what} names no time zone: ${JSON.stringify(text)}`, 'Write 2026-01-31T12:00:00Z.');
  // A bare number is refused: it could be a year, or a duration in any unit.
  if (/^[\d.]+[a-z]/.test(trimmed)) {
    const at = now - parseDuration(trimmed, 'd', what);
    if (at < 0) throw usage(`${what} is before 1970: ${trimmed} ago`);
    return timestampAt(at);
  }
  throw usage(
    `${what} is not a time: ${JSON.stringify(text)}`,
    'Write a date (2026-01-31), a time (2026-01-31T12:00:00Z), or how long ago (7d, 12h).',
  );
}

const timestampAt = (at: number): Timestamp => ({ at, text: formatTimestamp(at) });

/** Date.parse reads 2026-02-30 as a day in March. */
const isOnCalendar = (date: string): boolean => new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);

/** RFC 3339 in UTC without fractions of a second, as the service expects it. */
export const formatTimestamp = (time: EpochMs): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
