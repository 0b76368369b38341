import { EXIT, type ExitCode } from '../../../core/exit-codes.ts';
import type { Json } from '../../../core/json.ts';
import { jobOutcome, type JobOutcome } from '../../../queue/job-status.ts';

const EXIT_CODES: Readonly<Record<JobOutcome, ExitCode>> = {
  completed: EXIT.done,
  failed: EXIT.jobFailed,
  cancelled: EXIT.jobCancelled,
  timedOut: EXIT.jobTimedOut,
};

/** What a command can end with that ends as a job did. */
export const JOB_EXITS = [EXIT.jobFailed, EXIT.jobCancelled, EXIT.jobTimedOut];

/** Returns the exit code of a job's outcome: 0 while it has not ended. */
export function exitOf(job: Json | undefined): ExitCode {
  const outcome = jobOutcome(job);
  return outcome === undefined ? EXIT.done : EXIT_CODES[outcome];
}
