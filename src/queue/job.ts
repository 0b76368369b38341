import { EXIT } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import { isUsableId } from '../core/ids.ts';
import { encodeJson, type Json, memberAt, stringOf, tryDecodeJson } from '../core/json.ts';
import { safeText } from '../core/safe-text.ts';

export type JobOutcome = 'completed' | 'failed' | 'cancelled' | 'timedOut';

/** Specification 3.2. ERROR is not in it; clients have seen it for a failure. */
const OUTCOMES: Readonly<Record<string, JobOutcome>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  ERROR: 'failed',
  CANCELLED: 'cancelled',
  TIMED_OUT: 'timedOut',
};

/** RUNNING is not in the specification; clients have seen it. */
const RUNNING: readonly string[] = ['IN_PROGRESS', 'RUNNING'];

/** `?` without a status. */
export const jobStatus = (job: Json | undefined): string => stringOf(memberAt(job, 'status')) ?? '?';

/** An unknown status counts as not ended. */
export function jobOutcome(job: Json | undefined): JobOutcome | undefined {
  const status = jobStatus(job);
  return Object.hasOwn(OUTCOMES, status) ? OUTCOMES[status] : undefined;
}

export const hasEnded = (job: Json | undefined): boolean => jobOutcome(job) !== undefined;

export const isRunning = (job: Json | undefined): boolean => RUNNING.includes(jobStatus(job));

interface JobError {
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

/** Characters: it must fit in a URL. */
const MAX_ID_LENGTH = 1000;

/** Undefined if it cannot be used in a path. */
export function jobIdOf(job: Json | undefined): string | undefined {
  const id = stringOf(memberAt(job, 'id'));
  return id !== undefined && id.length <= MAX_ID_LENGTH && isUsableId(id) ? id : undefined;
}

/** Exit 8: the job may exist. */
export function unusableJobId(job: Json | undefined): Failure {
  const id = memberAt(job, 'id');
  return unknownOutcome(
    `the service answered ${id === undefined ? 'without a job id' : `with a job id that cannot be one, ${shown(id)}`}; the job may have been accepted`,
  );
}

/** Exit 8: the service reused the id of an earlier job. */
export const duplicateJobId = (job: string): Failure =>
  unknownOutcome(
    `the service gave the job id ${shown(job)} to two items; the job of the second one cannot be told apart`,
  );

const unknownOutcome = (message: string): Failure =>
  new Failure({ code: 'outcome-unknown', exit: EXIT.unknown, message });

const shown = (value: Json): string => safeText(encodeJson(value)).slice(0, 100);
