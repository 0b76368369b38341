import { EXIT, type ExitCode } from '../core/exit-codes.ts';
import { memberAt, stringOf, type Json } from '../core/json.ts';

/** Terminal states (specification 3.2; ERROR appears in clients and stands for a failure). */
const ENDINGS: Readonly<Record<string, ExitCode>> = {
  COMPLETED: EXIT.done,
  FAILED: EXIT.jobFailed,
  ERROR: EXIT.jobFailed,
  CANCELLED: EXIT.jobCancelled,
  TIMED_OUT: EXIT.jobTimedOut,
};

/** States a retry starts from (specification 4.5, detail 6). */
const RETRYABLE: readonly string[] = ['FAILED', 'TIMED_OUT'];

/** The status as the service names it; an absent one is shown as a question mark and counts as not ended. */
export const jobStatus = (job: Json | undefined): string => stringOf(memberAt(job, 'status')) ?? '?';

export const hasEnded = (job: Json | undefined): boolean => Object.hasOwn(ENDINGS, jobStatus(job));

export const canRetry = (job: Json | undefined): boolean => RETRYABLE.includes(jobStatus(job));

/** The exit code of a job's outcome; 0 while it has none. */
export const outcomeOf = (job: Json | undefined): ExitCode =>
  hasEnded(job) ? (ENDINGS[jobStatus(job)] ?? EXIT.done) : EXIT.done;

/** The outcome of several jobs: the first, in the order given, that did not complete. */
export const outcomeOfAll = (jobs: readonly Json[]): ExitCode =>
  jobs.map(outcomeOf).find((exit) => exit !== EXIT.done) ?? EXIT.done;
