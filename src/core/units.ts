import { usage } from './failure.ts';
import { type Bytes, DAY_MS, type EpochMs, type Milliseconds } from './unit-types.ts';

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
export type TimeUnit = keyof typeof UNITS;

/** `90s`, `1h30m`, `1.5h`, or a number in the unit `bare`. Usage (2), also for more than a day in bare seconds: they may be milliseconds. */
export function parseDuration(text: string, bare: TimeUnit, what: string): Milliseconds {
  const trimmed = text.trim();
  const isBare = /^\d+(\.\d+)?$/.test(trimmed);
  const ms = Number(trimmed) * UNITS.s;
  if (isBare && bare === 's' && ms > UNITS.d)
    throw usage(
      `${what} needs a unit: ${trimmed}`,
      `Write ${trimmed}s, which is ${formatDuration(ms)}, or ${Number(trimmed) / UNITS.s}s, if these are milliseconds.`,
    );
  const spans = isBare ? trimmed + bare : trimmed;
  if (!/^(\d+(\.\d+)?(ms|[smhdw]))+$/.test(spans))
    throw usage(`${what} is not a duration: ${JSON.stringify(text)}`, 'Write 90s, 5m, 1h30m or 3d.');
  let sum = 0;
  for (const [, count, unit] of spans.matchAll(/([\d.]+)(\D+)/g)) sum += Number(count) * UNITS[unit as TimeUnit];
  return Math.round(sum);
}

/** The result parses as exactly the same duration. */
export function exactDuration(milliseconds: Milliseconds): string {
  const units = ['w', 'd', 'h', 'm', 's'] as const;
  const unit = units.find((each) => milliseconds > 0 && milliseconds % UNITS[each] === 0);
  return unit === undefined ? `${milliseconds}ms` : `${milliseconds / UNITS[unit]}${unit}`;
}

const SHOWN_UNITS = ['d', 'h', 'm', 's'] as const;

/** At most two units, as they are typed: `0s`, `450ms`, `12s`, `3m20s`, `2h5m`, `3d`. */
export function formatDuration(milliseconds: Milliseconds): string {
  const whole = Math.round(milliseconds);
  if (whole > 0 && whole < 1000) return `${whole}ms`;
  const first = SHOWN_UNITS.find((unit) => whole >= UNITS[unit]) ?? 's';
  const count = Math.floor(whole / UNITS[first]);
  const next = SHOWN_UNITS[SHOWN_UNITS.indexOf(first) + 1];
  const rest = next === undefined ? 0 : Math.floor((whole % UNITS[first]) / UNITS[next]);
  return `${count}${first}${next === undefined || rest === 0 ? '' : `${rest}${next}`}`;
}

/** Formats bytes for people in powers of 1000, as the service counts its limits: `10 MB`, `9.5 MB`, `812 B`. */
export function formatBytes(bytes: Bytes): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1000 ** step;
  return `${step === 0 ? String(value) : String(Math.round(value * 10) / 10)} ${units[step] ?? 'B'}`;
}

export const formatDollars = (amount: number): string =>
  amount > 0 && amount < 0.005 ? '<$0.01' : `${amount <= -0.005 ? '-' : ''}$${Math.abs(amount).toFixed(2)}`;

export const costOver = (perHour: number, milliseconds: Milliseconds): number => (perHour * milliseconds) / UNITS.h;

export const hourlyPrice = (price: number | undefined): string =>
  price === undefined || price === 0 ? '' : `${formatDollars(price)}/h`;

export interface DollarRange {
  readonly low: number;
  readonly high: number;
}

export function formatDollarRange({ low, high }: DollarRange): string {
  const [least, most] = [formatDollars(low), formatDollars(high)];
  return least === most ? least : `${least} to ${most}`;
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** A date is its start in UTC, or its end with `endOfDay`; `7d` is 7 days ago. `text` is RFC 3339, as exact as it was given. Usage (2). */
export function parseTimestamp(
  text: string,
  what: string,
  { now, endOfDay = false }: { readonly now: EpochMs; readonly endOfDay?: boolean },
): { readonly at: EpochMs; readonly text: string } {
  const trimmed = text.trim();
  // A bare number is refused: it could be a year, or a duration in any unit.
  const isSpan = /^[\d.]+[a-z]/.test(trimmed);
  const isDate = DATE.test(trimmed);
  const written = isDate || TIME.test(trimmed) ? Date.parse(trimmed) + (isDate && endOfDay ? DAY_MS : 0) : Number.NaN;
  const at = isSpan ? now - parseDuration(trimmed, 'd', what) : written;
  if (!(at >= 0))
    throw usage(
      `${what} is not a time: ${JSON.stringify(text)}`,
      'Write a date (2026-01-31), a time with its zone (2026-01-31T12:00:00Z), or a time span (7d, 12h).',
    );
  return { at, text: RFC_3339.test(trimmed) ? trimmed : formatTimestamp(at) };
}

/** RFC 3339 in UTC without fractions of a second, as the service expects it. */
export const formatTimestamp = (time: EpochMs): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');

/** Undefined for another form, a wrong weekday and dates such as 30 February (RFC 9110, 5.6.7). */
export function parseHttpDate(text: string): EpochMs | undefined {
  const at = Date.parse(text);
  return Number.isNaN(at) || new Date(at).toUTCString() !== text ? undefined : at;
}
