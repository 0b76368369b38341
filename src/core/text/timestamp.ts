import { DAY_MS } from '../durations.ts';
import { usage } from '../failure.ts';
import { parseDuration } from '../units.ts';
import type { EpochMs } from '../unit-types.ts';

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?(?:[Zz]|([+-]\d\d):?(\d\d))$/;

export interface TimestampOptions {
  readonly now: EpochMs;
  /** A date without a time means the end of that day instead of its start. */
  readonly endOfDay?: boolean;
}

/** A parsed point in time. */
export interface Timestamp {
  readonly at: EpochMs;
  /** RFC 3339, as the service expects it. A full time keeps its zone and all its digits. */
  readonly text: string;
}

/**
 * Parses a date (`2026-01-31`, its start in UTC), an RFC 3339 time, or how long ago (`7d`). `what` names the flag in
 * messages. Fails with usage (2).
 */
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

/** Formats a time as the service expects it: RFC 3339 in UTC, in whole seconds. */
export const formatTimestamp = (time: EpochMs): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
