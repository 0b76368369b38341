/** How many jobs are looked at: few, so that it adapts when the jobs change. */
const LATEST = 128;

/** The durations of the latest jobs, in milliseconds. */
function createDurations() {
  const latest: number[] = [];
  const sorted: number[] = [];
  let oldest = 0;
  /** The number of durations that are not longer. */
  const rankOf = (milliseconds: number): number => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] ?? 0) <= milliseconds) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    add: (milliseconds: number): void => {
      const replaced = latest.length < LATEST ? undefined : latest[oldest];
      if (replaced !== undefined) sorted.splice(rankOf(replaced) - 1, 1);
      latest[oldest] = milliseconds;
      oldest = (oldest + 1) % LATEST;
      sorted.splice(rankOf(milliseconds), 0, milliseconds);
    },
    /**
     * The duration within which this fraction (0 to 1) of the jobs ended that took longer than `beyondMs`; undefined when no job
     * took longer.
     */
    endOf: (fraction: number, beyondMs = -1): number | undefined => {
      const first = rankOf(beyondMs);
      return sorted[first + Math.floor((sorted.length - first) * fraction)];
    },
  };
}

export const MIN_POLL_DELAY_MS = 100;
export const FIRST_POLL_DELAY_MS = 250;
/** The service keeps results for 30 minutes (specification 8.2): with this maximum, each is fetched long before that. */
const MAX_POLL_DELAY_MS = 60_000;
/** While no job has ended, the jobs after these are polled later and later. */
const PILOT_JOBS = 8;
/** A job is polled when this fraction of the jobs that took longer than it has so far had ended. */
const ENDED_FRACTION = 0.8;
/** While polls are left over it is polled earlier, but not before this fraction of them had ended. */
const EARLY_FRACTION = 0.2;
/** Below this age a job is polled first when most have ended; above it, earlier: a poll is then cheaper than the time. */
const SHORT_JOB_MS = 5000;
/** A poll is this much later, as a fraction of the duration and at most: the next job may take slightly longer. */
const MARGIN_FRACTION = 0.05;
const MAX_MARGIN_MS = 1000;
/** The delay of a job that takes longer than all others, and of any job while polls are left over: a fraction of the time it took so far. */
const ELAPSED_FRACTION = 1 / 8;
/** The part of the allowed polls that may be used to see the end of a job earlier than most like it end. */
const EARLY_PART = 1 / 4;

const bounded = (milliseconds: number): number =>
  Math.min(MAX_POLL_DELAY_MS, Math.max(MIN_POLL_DELAY_MS, milliseconds));

const withMargin = (milliseconds: number): number =>
  milliseconds + Math.min(MAX_MARGIN_MS, milliseconds * MARGIN_FRACTION);

/** `pollsPerSecond` returns how many polls may be sent. */
export function createPollDelays(pollsPerSecond: () => number) {
  const turnarounds = createDurations();
  const executions = createDurations();
  /** When this fraction of the jobs had ended, from their submission on: their time in a queue may be over by now. */
  const firstAt = (fraction: number): number | undefined => {
    const turnaroundMs = turnarounds.endOf(fraction);
    const executionMs = executions.endOf(fraction) ?? Number.POSITIVE_INFINITY;
    return turnaroundMs === undefined ? undefined : Math.min(turnaroundMs, executionMs * 1.5);
  };
  return {
    /** A job has ended: the times from its submission to its end, and on a worker. A time that is not known is undefined. */
    add: (turnaroundMs: number | undefined, executionMs: number | undefined): void => {
      if (turnaroundMs !== undefined) turnarounds.add(turnaroundMs);
      if (executionMs !== undefined) executions.add(executionMs);
    },
    /** The delay from the submission of a job to its first poll, for a job that is not queued behind others. See `next`. */
    first: (openJobs: number): number => {
      const lateMs = firstAt(ENDED_FRACTION);
      if (lateMs === undefined) return FIRST_POLL_DELAY_MS * Math.max(1, openJobs / PILOT_JOBS);
      const soonMs = firstAt(EARLY_FRACTION) ?? lateMs;
      return bounded(Math.min(withMargin(lateMs), Math.max(soonMs, SHORT_JOB_MS)));
    },
    /**
     * The delay until the next poll of a job that has not ended, and that has run for `ranMs` or, when it does not run, has been
     * queued for `waitedMs`. `openJobs` is the number of jobs that are polled like this one.
     */
    next: (waitedMs: number, ranMs: number | undefined, openJobs: number): number => {
      const spreadMs = (openJobs / (pollsPerSecond() * EARLY_PART)) * 1000;
      const elapsedMs = Math.max(FIRST_POLL_DELAY_MS, (ranMs ?? waitedMs) * ELAPSED_FRACTION, spreadMs);
      const [soonMs, lateMs] = [EARLY_FRACTION, ENDED_FRACTION].map((fraction) => executions.endOf(fraction, ranMs));
      if (ranMs === undefined || soonMs === undefined || lateMs === undefined) return bounded(elapsedMs);
      return bounded(Math.min(withMargin(lateMs) - ranMs, Math.max(elapsedMs, soonMs - ranMs)));
    },
  };
}

/**
 * Decides how long jobs are left alone before they are polled, by how long the latest jobs took. A poll is due when most of the
 * jobs like it have ended: an earlier one would find many that run, and the service limits polls to two for each submission.
 * Polls that are due and exceed that limit are sent later, and then find more jobs ended. All times are milliseconds.
 */
export type PollDelays = ReturnType<typeof createPollDelays>;

/** Returns the delay in milliseconds after this many failed polls of one job in a row: exponential backoff. */
export const retryPollDelay = (failures: number): number => bounded(FIRST_POLL_DELAY_MS * 2 ** (failures - 1));
