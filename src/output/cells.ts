/**
 * Functions that make the `show` of a column: each takes a dotted path and returns a function from a row to a cell. A
 * value of an unexpected type is shown unchanged; a missing one gives an empty text (`cell-text.ts` has the dash). None
 * of them throws.
 */

import { arrayOf, encodeJson, Exact, type Json, memberAt, numberOf } from '../core/json.ts';
import { formatDollars, formatDuration } from '../core/units.ts';
import type { Bar, Cell, Facts, Shown, Tone } from './view.ts';

const at =
  <S extends Shown>(show: (value: Json | undefined) => S) =>
  (path: string) =>
  (row: Json): S =>
    show(memberAt(row, path));

/** Text unchanged, other values as compact JSON, an empty text when there is no value. */
export const text = at(plainText);

export const json = at((value) => (value === undefined ? '' : encodeJson(value)));

/** An empty text for null, [] and {}. */
export const jsonBlock = at(blockOf);

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

export const list = at((value) => arrayOf(value)?.map(plainText) ?? [plainText(value)].filter((each) => each !== ''));

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
export const status = (path = 'status') => toned(path, TONES);

export const toned =
  (path: string, tones: Readonly<Record<string, Tone>>) =>
  (row: Json): Cell => {
    const shown = text(path)(row);
    return { text: shown, tone: Object.hasOwn(tones, shown) ? (tones[shown] ?? 'plain') : 'plain' };
  };

/** How long ago a timestamp was, in the largest unit: `3d`, `2h`, `0s`. */
export const age =
  (path: string) =>
  (row: Json, { now }: Facts): string => {
    const shown = text(path)(row);
    const then = Date.parse(shown);
    if (Number.isNaN(then) || !/^\d{4}-/.test(shown)) return shown;
    const seconds = Math.floor(Math.max(0, now - then) / 1000);
    return /^\d+[dhms]/.exec(formatDuration(seconds * 1000))?.[0] ?? shown;
  };

export const seconds = at((value) => spanText(value, 1000));
export const milliseconds = at((value) => spanText(value, 1));

function spanText(value: Json | undefined, unit: number): string {
  const number = numberOf(value) ?? -1;
  return number < 0 ? plainText(value) : formatDuration(number * unit);
}

export const money = at((value) => {
  const number = numberOf(value);
  if (number === undefined) return plainText(value);
  return number > 1e15 ? `$${plainText(value)}` : formatDollars(number);
});

export const gigabytes = at((value) => {
  const number = numberOf(value);
  return number === undefined ? plainText(value) : `${number} GB`;
});

export const percent = at((value): Bar | string => {
  const number = numberOf(value);
  return number === undefined ? plainText(value) : { percent: number, text: `${plainText(value)}%` };
});

export const yesNo = at((value) => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : plainText(value)));

export function plainText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return value instanceof Exact ? value.text : encodeJson(value);
}
