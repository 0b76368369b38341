import { memberAt, stringOf, type Json } from '../core/json.ts';

/** How a job ends at the service. */
export type JobOutcome = 'completed' | 'failed' | 'cancelled' | 'timedOut';

/** Terminal statuses (specification 3.2). ERROR is not in the specification; clients have seen it for a failure. */
const OUTCOMES: Readonly<Record<string, JobOutcome>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  ERROR: 'failed',
  CANCELLED: 'cancelled',
  TIMED_OUT: 'timedOut',
};

/** Statuses of a job that a worker runs. RUNNING is not in the specification; clients have seen it. */
const RUNNING: readonly string[] = ['IN_PROGRESS', 'RUNNING'];

/** Statuses that the service retries (specification 4.5, detail 6). */
const RETRYABLE: readonly string[] = ['FAILED', 'TIMED_OUT'];

/** Returns the status as the service names it, or `?` when there is none. */
export const jobStatus = (job: Json | undefined): string => stringOf(memberAt(job, 'status')) ?? '?';

/** Returns how the job ended, or undefined while it has not. An unknown status counts as not ended. */
export function jobOutcome(job: Json | undefined): JobOutcome | undefined {
  const status = jobStatus(job);
  return Object.hasOwn(OUTCOMES, status) ? OUTCOMES[status] : undefined;
}

export const hasEnded = (job: Json | undefined): boolean => jobOutcome(job) !== undefined;

export const isRunning = (job: Json | undefined): boolean => RUNNING.includes(jobStatus(job));

export const canRetry = (job: Json | undefined): boolean => RETRYABLE.includes(jobStatus(job));
