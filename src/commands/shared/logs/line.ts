import type { ServerEvent } from '../../../core/api.ts';
import { isObject, stringOf, jsonOrText, type Json, type JsonObject } from '../../../core/json.ts';
import { safeText, say, type SafeText } from '../../../core/safe-text.ts';
import { formatDuration } from '../../../core/units.ts';
import type { EpochMs } from '../../../core/unit-types.ts';
import type { CommandContext } from '../../../cli/model/context.ts';

/**
 * How the times of lines are shown: the time of day in this machine's time zone, as the service sends them, with date and
 * milliseconds in this machine's time zone, as an age, or not at all.
 */
export const TIMES = ['clock', 'utc', 'local', 'relative', 'none'] as const;
export type Times = (typeof TIMES)[number];

/** The choice of `--times`; without one the time of day on a terminal, and elsewhere what the service sent. */
export const timesOf = (
  { terminal }: Pick<CommandContext, 'terminal'>,
  { times }: { readonly times: string | undefined },
): Times => TIMES.find((each) => each === times) ?? (terminal.output ? 'clock' : 'utc');

/** The row of an event. Data that is not a JSON object becomes the text of the line. */
export function rowOf({ data }: ServerEvent): JsonObject {
  const row = jsonOrText(data);
  return isObject(row) ? row : { line: data };
}

/** One line of text: its time, its source padded to a column, its text. `now` is the service's time. */
export function lineText(row: JsonObject, times: Times, now: EpochMs): SafeText {
  const line = stringOf(row['line'])?.replace(/\r?\n?$/, '') ?? '';
  const time = timeText(stringOf(row['ts']), times, now);
  const words = [...(time === undefined ? [] : [safeText(time)]), safeText(word(row['source'])).padEnd(9)];
  return say`${words.join(' ')} ${line}`;
}

const word = (value: Json | undefined): string => stringOf(value) ?? '-';

/** The time of a line; undefined where it is not shown. What is not a time is shown as it is. */
function timeText(given: string | undefined, times: Times, now: EpochMs): string | undefined {
  if (times === 'none') return undefined;
  const time = Date.parse(given ?? '');
  if (times === 'utc' || Number.isNaN(time)) return given ?? '-';
  if (times === 'relative') return formatDuration(Math.floor(Math.max(0, now - time) / 1000) * 1000).padStart(7);
  const at = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  const dateOf = (day: Date): string => `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  const date = dateOf(at);
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
  // A line of another day would be taken for one of today.
  if (times === 'clock') return date === dateOf(new Date(now)) ? clock : `${date} ${clock}`;
  return `${date} ${clock}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}
