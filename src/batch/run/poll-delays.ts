/** Running averages over the jobs that have ended, in which faster and recent jobs count more. Milliseconds. */
export interface JobTiming {
  /** From submission to end. */
  readonly turnaroundMs: number | undefined;
  /** On a worker. */
  readonly executionMs: number | undefined;
}

export const UNKNOWN_TIMING: JobTiming = { turnaroundMs: undefined, executionMs: undefined };

/** Weights of a job that was faster or slower than the average: a few slow jobs must not delay the polls of all others. */
const FASTER_WEIGHT = 0.3;
const SLOWER_WEIGHT = 0.05;

/** Returns the averages after one more job. Times that the service did not report are undefined. */
export const withJob = (
  timing: JobTiming,
  turnaroundMs: number | undefined,
  executionMs: number | undefined,
): JobTiming => ({
  turnaroundMs: average(timing.turnaroundMs, turnaroundMs),
  executionMs: average(timing.executionMs, executionMs),
});

const average = (before: number | undefined, value: number | undefined): number | undefined =>
  before === undefined || value === undefined
    ? (value ?? before)
    : before + (value < before ? FASTER_WEIGHT : SLOWER_WEIGHT) * (value - before);

export const MIN_POLL_DELAY_MS = 100;
export const FIRST_POLL_DELAY_MS = 250;
/** The service keeps results for 30 minutes (specification 8.2): with this maximum, each is fetched long before that. */
const MAX_POLL_DELAY_MS = 60_000;
/** The delay of a job without a known duration, as a fraction of the time it took so far. */
const ELAPSED_FRACTION = 1 / 8;
/** Maximum number of polls per second of all jobs without a known duration. */
const MAX_UNTIMED_POLLS_PER_SECOND = 50;

const bounded = (milliseconds: number): number =>
  Math.min(MAX_POLL_DELAY_MS, Math.max(MIN_POLL_DELAY_MS, milliseconds));

/** Returns the delay in milliseconds from the submission of a job to its first poll, for a job that is not queued. */
export const firstPollDelay = ({ turnaroundMs, executionMs }: JobTiming): number =>
  turnaroundMs === undefined
    ? FIRST_POLL_DELAY_MS
    : bounded(Math.min(turnaroundMs * 0.95, (executionMs ?? Number.POSITIVE_INFINITY) * 1.5));

/**
 * Returns the delay in milliseconds until the next poll of a job that has not ended. A job that has run for `ranMs` is
 * polled when the average execution time is over. For a longer one, and for one that has been queued for `waitedMs`,
 * the delay grows with the time it took so far. `untimedJobs` is the number of jobs of these two kinds.
 */
export function nextPollDelay(
  { executionMs }: JobTiming,
  waitedMs: number,
  ranMs: number | undefined,
  untimedJobs: number,
): number {
  if (ranMs !== undefined && executionMs !== undefined && ranMs < executionMs) return bounded(executionMs - ranMs);
  return bounded(
    Math.max(
      FIRST_POLL_DELAY_MS,
      (ranMs ?? waitedMs) * ELAPSED_FRACTION,
      (untimedJobs / MAX_UNTIMED_POLLS_PER_SECOND) * 1000,
    ),
  );
}

/** Returns the delay in milliseconds after this many failed polls of one job in a row: exponential backoff. */
export const retryPollDelay = (failures: number): number => bounded(FIRST_POLL_DELAY_MS * 2 ** (failures - 1));
