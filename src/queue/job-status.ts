import { type Json, memberAt, stringOf } from '../core/json.ts';

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
