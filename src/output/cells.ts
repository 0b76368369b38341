/**
 * What the cells of a table are made of: each function takes a row and a dotted path. A value of an unexpected type is
 * shown unchanged; a missing one gives an empty text (`cell-text.ts` has the dash). None of them throws.
 */

import { arrayOf, encodeJson, Exact, type Json, memberAt, numberOf } from '../core/json.ts';
import { formatDollars, formatDuration } from '../core/units.ts';
import type { Bar, Cell, Facts, Tone } from './view.ts';

/** Text unchanged, other values as compact JSON, an empty text when there is no value. */
export const text = (row: Json, path: string): string => plainText(memberAt(row, path));

export function json(row: Json, path: string): string {
  const value = memberAt(row, path);
  return value === undefined ? '' : encodeJson(value);
}

/** An empty text for null, [] and {}. */
export const jsonBlock = (row: Json, path: string): Cell | string => blockOf(memberAt(row, path));

export function blockOf(value: Json = null): Cell | string {
  const whole = encodeJson(value);
  return ['null', '""', '[]', '{}'].includes(whole) ? '' : { text: whole, long: encodeJson(value, 2) };
}

const MAX_SHORT = 40;

/** Text unchanged, an object or array as JSON: a long one is indented in a detail view of a terminal. */
export const plainCell = (value: Json | undefined): Cell | string =>
  typeof value === 'object' && value !== null && !(value instanceof Exact) && encodeJson(value).length > MAX_SHORT
    ? { text: encodeJson(value), long: encodeJson(value, 2) }
    : plainText(value);

export function list(row: Json, path: string): readonly string[] {
  const value = memberAt(row, path);
  return arrayOf(value)?.map(plainText) ?? [plainText(value)].filter((each) => each !== '');
}

const TONES: Readonly<Record<string, Tone>> = {
  RUNNING: 'good',
  COMPLETED: 'good',
  IDLE: 'good',
  PROVISIONING: 'busy',
  STARTING: 'busy',
  IN_QUEUE: 'busy',
  IN_PROGRESS: 'busy',
  INITIALIZING: 'busy',
  PENDING: 'busy',
  BUILDING: 'busy',
  UPLOADING: 'busy',
  TESTING: 'busy',
  ERROR: 'bad',
  FAILED: 'bad',
  TEST_FAILED: 'bad',
  UNHEALTHY: 'bad',
  TIMED_OUT: 'bad',
  EXITED: 'quiet',
  TERMINATED: 'quiet',
  CANCELLED: 'quiet',
};

/** A status, coloured by its meaning; an unknown status has no colour (specification 3.1, 3.2; additions 9). */
export const status = (row: Json, path = 'status'): Cell => toned(row, path, TONES);

export function toned(row: Json, path: string, tones: Readonly<Record<string, Tone>>): Cell {
  const shown = text(row, path);
  return { text: shown, tone: Object.hasOwn(tones, shown) ? (tones[shown] ?? 'plain') : 'plain' };
}

/** How long ago a timestamp was, in the largest unit: `3d`, `2h`, `0s`. */
export function age(row: Json, path: string, { now }: Facts): string {
  const shown = text(row, path);
  const then = Date.parse(shown);
  if (Number.isNaN(then) || !/^\d{4}-/.test(shown)) return shown;
  const seconds = Math.floor(Math.max(0, now - then) / 1000);
  return /^\d+[dhms]/.exec(formatDuration(seconds * 1000))?.[0] ?? shown;
}

export const seconds = (row: Json, path: string): string => span(row, path, 1000);
export const milliseconds = (row: Json, path: string): string => span(row, path, 1);

function span(row: Json, path: string, unit: number): string {
  const number = numberOf(memberAt(row, path)) ?? -1;
  return number < 0 ? text(row, path) : formatDuration(number * unit);
}

export function money(row: Json, path: string): string {
  const number = numberOf(memberAt(row, path));
  if (number === undefined) return text(row, path);
  return number > 1e15 ? `$${text(row, path)}` : formatDollars(number);
}

export function gigabytes(row: Json, path: string): string {
  const number = numberOf(memberAt(row, path));
  return number === undefined ? text(row, path) : `${number} GB`;
}

export function percent(row: Json, path: string): Bar | string {
  const number = numberOf(memberAt(row, path));
  return number === undefined ? text(row, path) : { percent: number, text: `${text(row, path)}%` };
}

export function yesNo(row: Json, path: string): string {
  const value = memberAt(row, path);
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : plainText(value);
}

export function plainText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return value instanceof Exact ? value.text : encodeJson(value);
}
