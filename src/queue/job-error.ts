import { encodeJson, memberAt, stringOf, tryDecodeJson, type Json } from '../core/json.ts';

/** The error of a job, for people. */
export interface JobError {
  /** What went wrong, on one line. Of a traceback, the line that names the exception: its last one. */
  readonly headline: string;
  /** All of it: of a traceback, the headline and then the lines of the traceback. */
  readonly text: string;
}

/** Longer texts are not parsed as JSON. */
const MAX_PARSED_LENGTH = 1_000_000;

/** The longest headline, in characters. */
const MAX_HEADLINE_LENGTH = 500;

/** How a traceback of Python begins. */
const TRACEBACK = 'Traceback (most recent call last)';

/**
 * Reads the error of a job: a text, which is sometimes JSON (contract rules, Queue API), of the library of a worker with the
 * members `error_type`, `error_message` and `error_traceback`. Undefined when the job has no error.
 */
export function jobError(job: Json | undefined): JobError | undefined {
  const error = memberAt(job, 'error');
  if (error === undefined) return undefined;
  const text = stringOf(error) ?? encodeJson(error);
  const parsed = parse(text);
  const message = stringOf(memberAt(parsed, 'error_message')) ?? stringOf(memberAt(parsed, 'message'));
  const traceback = stringOf(memberAt(parsed, 'error_traceback')) ?? (text.includes(TRACEBACK) ? text : undefined);
  const exception = traceback === undefined ? undefined : exceptionLine(traceback);
  if (traceback === undefined || exception === undefined) return { text, headline: oneLine(message ?? text) };
  const headline = oneLine(exception);
  return { headline, text: `${headline}\n${traceback.trimEnd()}` };
}

/**
 * The line of a traceback that names the exception: the first one after the last frame and its source that is not indented. A
 * message of several lines goes on after it. Undefined when there is none.
 */
function exceptionLine(traceback: string): string | undefined {
  const lines = traceback.split(/\r?\n/);
  const lastFrame = lines.findLastIndex((line) => /^\s+File "/.test(line));
  const after = lines.slice(Math.max(0, lastFrame) + 1);
  return after.find((line) => /^\S/.test(line)) ?? after.findLast((line) => line.trim() !== '');
}

const oneLine = (text: string): string => text.slice(0, MAX_HEADLINE_LENGTH).replaceAll(/\s+/g, ' ').trim();

const parse = (text: string): Json | undefined =>
  text.trimStart().startsWith('{') && text.length <= MAX_PARSED_LENGTH ? tryDecodeJson(text) : undefined;
