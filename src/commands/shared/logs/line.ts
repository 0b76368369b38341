import type { ServerEvent } from '../../../core/api.ts';
import { isObject, stringOf, jsonOrText, type Json, type JsonObject } from '../../../core/json.ts';
import { safeText, say, type SafeText } from '../../../core/safe-text.ts';
import { formatDuration } from '../../../core/units.ts';

/** How the times of lines are shown: as the service sends them, in this machine's time zone, as an age, or not at all. */
export const TIMES = ['utc', 'local', 'relative', 'none'] as const;
export type Times = (typeof TIMES)[number];

/** The choice of `--times`. */
export const timesOf = ({ times }: { readonly times: string | undefined }): Times =>
  TIMES.find((each) => each === times) ?? 'utc';

/** The row of an event. Data that is not a JSON object becomes the text of the line. */
export function rowOf({ data }: ServerEvent): JsonObject {
  const row = jsonOrText(data);
  return isObject(row) ? row : { line: data };
}

/** One line of text: its time, its source padded to a column, its text. `now` is the service's time in milliseconds. */
export function lineText(row: JsonObject, times: Times, now: number): SafeText {
  const line = stringOf(row['line'])?.replace(/\r?\n?$/, '') ?? '';
  const time = timeText(stringOf(row['ts']), times, now);
  const words = [...(time === undefined ? [] : [safeText(time)]), safeText(word(row['source'])).padEnd(9)];
  return say`${words.join(' ')} ${line}`;
}

const word = (value: Json | undefined): string => stringOf(value) ?? '-';

/** The time of a line; undefined where it is not shown. What is not a time is shown as it is. */
function timeText(given: string | undefined, times: Times, now: number): string | undefined {
  if (times === 'none') return undefined;
  const time = Date.parse(given ?? '');
  if (times === 'utc' || Number.isNaN(time)) return given ?? '-';
  if (times === 'relative') return formatDuration(Math.floor(Math.max(0, now - time) / 1000) * 1000).padStart(7);
  const at = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
  return `${date} ${clock}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}
