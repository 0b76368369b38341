import { encodeJson, type Json, memberAt, stringOf, tryDecodeJson } from '../core/json.ts';

export interface JobError {
  /** One line; of a traceback, its last: the exception. */
  readonly headline: string;
  /** Of a traceback, the headline, then its lines, then what the worker printed. */
  readonly text: string;
}

const MAX_PARSED_LENGTH = 1_000_000;

const MAX_HEADLINE_LENGTH = 500;

const TRACEBACK = 'Traceback (most recent call last)';

/** Text, sometimes JSON with `error_type`, `error_message`, `error_traceback` (contract rules, Queue API). */
export function jobError(job: Json | undefined): JobError | undefined {
  const error = memberAt(job, 'error');
  if (error === undefined) return undefined;
  const text = stringOf(error) ?? encodeJson(error);
  const parsed = parse(text);
  const message = stringOf(memberAt(parsed, 'error_message')) ?? stringOf(memberAt(parsed, 'message'));
  const traceback = stringOf(memberAt(parsed, 'error_traceback')) ?? (text.includes(TRACEBACK) ? text : undefined);
  const exception = traceback === undefined ? undefined : exceptionLine(traceback);
  const start = failedStart(parsed, message);
  const logs = stringOf(memberAt(parsed, 'logs'));
  const headline = oneLine(start ?? exception ?? message ?? text);
  if (start === undefined && exception === undefined) return { headline, text };
  return { headline, text: [headline, traceback, logs].flatMap((part) => part?.trimEnd() ?? []).join('\n') };
}

/** Of a worker whose prestart hooks did not end well (additions of November, 23). */
function failedStart(error: Json | undefined, message = 'no message'): string | undefined {
  switch (stringOf(memberAt(error, 'event'))) {
    case 'prestart_failed':
      return `${['prestart hook', stringOf(memberAt(error, 'hook'))].join(' ').trim()} failed: ${message}`;
    case 'prestart_cancelled':
      return 'worker stopped while starting: submit again';
    default:
      return undefined;
  }
}

/** The first unindented line after the last frame: a message may have more lines. */
function exceptionLine(traceback: string): string | undefined {
  const lines = traceback.split(/\r?\n/);
  const lastFrame = lines.findLastIndex((line) => /^\s+File "/.test(line));
  const after = lines.slice(Math.max(0, lastFrame) + 1);
  return after.find((line) => /^\S/.test(line)) ?? after.findLast((line) => line.trim() !== '');
}

const oneLine = (text: string): string => text.slice(0, MAX_HEADLINE_LENGTH).replaceAll(/\s+/g, ' ').trim();

const parse = (text: string): Json | undefined =>
  text.trimStart().startsWith('{') && text.length <= MAX_PARSED_LENGTH ? tryDecodeJson(text) : undefined;
