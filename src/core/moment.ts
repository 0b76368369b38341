import { usage } from './failure.ts';
import { parseDuration } from './units.ts';

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
const DAY_MS = 86_400_000;

export interface MomentOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** A date alone is that day to its end, and not from its start. */
  readonly wholeDay?: boolean;
}

/**
 * A point in time in milliseconds since the epoch: a date (`2026-01-31`, its start in UTC), an RFC 3339 time, or a
 * duration ago (`7d`). `what` is the flag as the user knows it. Fails with usage (2).
 */
export function parseMoment(text: string, what: string, { now, wholeDay = false }: MomentOptions): number {
  const trimmed = text.trim();
  const date = DATE.test(trimmed) ? trimmed : TIMESTAMP.exec(trimmed)?.[1];
  if (date !== undefined) {
    const time = Date.parse(trimmed.replace(' ', 'T').toUpperCase());
    if (Number.isNaN(time) || !isOnCalendar(date)) throw usage(`${what} is not on the calendar: ${trimmed}`);
    return time + (wholeDay && date === trimmed ? DAY_MS : 0);
  }
  if (/^\d{4}-\d\d-\d\d[Tt ]/.test(trimmed))
    throw usage(`${what} names no time zone: ${JSON.stringify(text)}`, 'Write 2026-01-31T12:00:00Z.');
  // A bare number would be a duration of some unit or a year: nobody can tell.
  if (/^[\d.]+[a-z]/.test(trimmed)) {
    const time = now - parseDuration(trimmed, 'd', what);
    if (time < 0) throw usage(`${what} is before 1970: ${trimmed} ago`);
    return time;
  }
  throw usage(
    `${what} is not a time: ${JSON.stringify(text)}`,
    'Write a date (2026-01-31), a time (2026-01-31T12:00:00Z), or how long ago (7d, 12h).',
  );
}

/** A reader of dates takes 2026-02-30 for March. */
const isOnCalendar = (date: string): boolean => new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);

/** A time as the service takes it: RFC 3339 in UTC, to the second. */
export const formatMoment = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
