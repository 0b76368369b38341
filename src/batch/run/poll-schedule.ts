import TinyQueue from 'tinyqueue';
import type { KnownJob, MonotonicMs } from '../model/batch.ts';
import { type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';

/** Few, so that it adapts when the jobs change. */
const LATEST = 128;

/** Milliseconds. */
function createDurations() {
  const latest: number[] = [];
  const sorted: number[] = [];
  let oldest = 0;
  const rankOf = (milliseconds: Milliseconds): number => {
    const firstLonger = sorted.findIndex((each) => each > milliseconds);
    return firstLonger < 0 ? sorted.length : firstLonger;
  };
  return {
    add: (milliseconds: Milliseconds): void => {
      const replaced = latest.length < LATEST ? undefined : latest[oldest];
      if (replaced !== undefined) sorted.splice(rankOf(replaced) - 1, 1);
      latest[oldest] = milliseconds;
      oldest = (oldest + 1) % LATEST;
      sorted.splice(rankOf(milliseconds), 0, milliseconds);
    },
    /** Of jobs longer than `beyondMs`: when this fraction (0 to 1) had ended. Undefined for none. */
    timeByWhich: (fraction: number, beyondMs = -1): number | undefined => {
      const first = rankOf(beyondMs);
      return sorted[first + Math.floor((sorted.length - first) * fraction)];
    },
  };
}

const MIN_POLL_DELAY_MS = 100;
const FIRST_POLL_DELAY_MS = 250;
/** The service keeps results for 30 minutes (specification 8.2): with this maximum, each is fetched long before that. */
const MAX_POLL_DELAY_MS = MINUTE_MS;
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

const bounded = (milliseconds: Milliseconds): number =>
  Math.min(MAX_POLL_DELAY_MS, Math.max(MIN_POLL_DELAY_MS, milliseconds));

const withMargin = (milliseconds: Milliseconds): number =>
  milliseconds + Math.min(MAX_MARGIN_MS, milliseconds * MARGIN_FRACTION);

/** A poll is due when most similar jobs have ended: the service allows two polls per submission. */
function createPollDelays(pollsPerSecond: () => number) {
  const turnarounds = createDurations();
  const executions = createDurations();
  /** When this fraction of the jobs had ended, from their submission on: their time in a queue may be over by now. */
  const firstAt = (fraction: number): number | undefined => {
    const turnaroundMs = turnarounds.timeByWhich(fraction);
    const executionMs = executions.timeByWhich(fraction) ?? Number.POSITIVE_INFINITY;
    return turnaroundMs === undefined ? undefined : Math.min(turnaroundMs, executionMs * 1.5);
  };
  return {
    /** Undefined for a time that is not known. */
    add: (turnaroundMs: Milliseconds | undefined, executionMs: Milliseconds | undefined): void => {
      if (turnaroundMs !== undefined) turnarounds.add(turnaroundMs);
      if (executionMs !== undefined) executions.add(executionMs);
    },
    /** For a job that is not queued behind others. See `next`. */
    first: (jobsAlike: number): Milliseconds => {
      const lateMs = firstAt(ENDED_FRACTION);
      if (lateMs === undefined) return FIRST_POLL_DELAY_MS * Math.max(1, jobsAlike / PILOT_JOBS);
      const soonMs = firstAt(EARLY_FRACTION) ?? lateMs;
      return bounded(Math.min(withMargin(lateMs), Math.max(soonMs, SHORT_JOB_MS)));
    },
    /** `ranMs` is undefined for a queued job. `jobsAlike` is how many are polled like it. */
    next: (waitedMs: Milliseconds, ranMs: Milliseconds | undefined, jobsAlike: number): Milliseconds => {
      const spreadMs = (jobsAlike / (pollsPerSecond() * EARLY_PART)) * 1000;
      const elapsedMs = Math.max(FIRST_POLL_DELAY_MS, (ranMs ?? waitedMs) * ELAPSED_FRACTION, spreadMs);
      const [soonMs, lateMs] = [EARLY_FRACTION, ENDED_FRACTION].map((fraction) =>
        executions.timeByWhich(fraction, ranMs),
      );
      if (ranMs === undefined || soonMs === undefined || lateMs === undefined) return bounded(elapsedMs);
      return bounded(Math.min(withMargin(lateMs) - ranMs, Math.max(elapsedMs, soonMs - ranMs)));
    },
  };
}

/** Exponential backoff after failed polls in a row. */
export const retryPollDelay = (failures: number): Milliseconds => bounded(FIRST_POLL_DELAY_MS * 2 ** (failures - 1));

/** Without its date: durations are measured by the monotonic clock. */
export type JobRef = Omit<KnownJob, 'submittedAt'>;

export interface Job extends JobRef, PolledJob {
  /** In a row: the service answered that the job does not exist. */
  readonly notFoundPolls: number;
  readonly missingSince: MonotonicMs | undefined;
  /** In a row, 429 excluded. */
  readonly failedPolls: number;
}

/** Lists the members one by one: thousands of jobs are created per second, and object spread is slower. */
export const newJob = ({ item, job, id, retries }: JobRef, acceptedAt: MonotonicMs): Job => ({
  item,
  job,
  id,
  acceptedAt,
  retries,
  queuedPolls: 0,
  notFoundPolls: 0,
  missingSince: undefined,
  failedPolls: 0,
  pollAt: acceptedAt,
});

interface PolledJob {
  readonly item: number;
  /** Or when it started to run again. */
  readonly acceptedAt: MonotonicMs;
  readonly queuedPolls: number;
  readonly pollAt: MonotonicMs;
}

type PollResult = 'queued' | 'running' | 'ended';

/** At the start and after each pause; one more after each poll that finds a started job. */
const INITIAL_PROBES = 2;
/** Then a job becomes timed: the service may not start jobs in order. */
const MAX_QUEUED_POLLS = 3;
/** Longest pause between polls of queued jobs, and the same as a fraction of the age of the first one. */
const MAX_PAUSE_MS = 10_000;
const PAUSE_FRACTION = 1 / 16;
/** What the polls between two pauses should find: fewer lengthen the pause, more shorten it. */
const MIN_ENDS = 1;
const MAX_ENDS = 4;

/** Jobs start in submission order: when the first is queued, all are. Started ones have timed polls. */
export function createPollSchedule<J extends PolledJob>(pollsPerSecond: () => number) {
  const delays = createPollDelays(pollsPerSecond);
  const queued = new TinyQueue<J>([], (a, b) => a.acceptedAt - b.acceptedAt || a.item - b.item);
  const timed = new TinyQueue<J>([], (a, b) => a.pollAt - b.pollAt || a.acceptedAt - b.acceptedAt);
  const probing = new Set<number>();
  let maxProbes = INITIAL_PROBES;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let pauseMs = FIRST_POLL_DELAY_MS;
  let ends = 0;

  const queuedDueAt = (): number => {
    const first = queued.peek();
    if (first === undefined || probing.size >= maxProbes) return Number.POSITIVE_INFINITY;
    return Math.max(pausedUntil, first.acceptedAt + delays.first(timed.length));
  };
  const timedDueAt = (): number => timed.peek()?.pollAt ?? Number.POSITIVE_INFINITY;

  /** All later jobs are queued too, so polling them stops for some time. */
  const pause = (first: J, now: MonotonicMs): void => {
    if (ends < MIN_ENDS) pauseMs *= 1.5;
    else if (ends > MAX_ENDS) pauseMs /= 2;
    const longest = Math.min(MAX_PAUSE_MS, Math.max(FIRST_POLL_DELAY_MS, (now - first.acceptedAt) * PAUSE_FRACTION));
    pauseMs = Math.max(MIN_POLL_DELAY_MS, Math.min(longest, pauseMs));
    pausedUntil = now + pauseMs;
    ends = 0;
    maxProbes = INITIAL_PROBES;
  };

  const addAgain = (job: J, now: MonotonicMs): void => {
    const queuedPolls = job.queuedPolls + 1;
    if (queuedPolls < MAX_QUEUED_POLLS) queued.push({ ...job, queuedPolls });
    else addLater(job, now);
  };
  const addLater = (job: J, now: MonotonicMs, ranMs?: Milliseconds): void => {
    timed.push({ ...job, pollAt: now + delays.next(now - job.acceptedAt, ranMs, timed.length) });
  };

  return {
    addQueued: (job: J): void => {
      queued.push(job);
    },
    addTimed: (job: J): void => {
      timed.push(job);
    },
    /** `ranMs` is its execution time so far, when it is known. */
    addLater,
    onEnded: delays.add,
    /** Infinity when polls in progress must finish first. */
    dueAt: (): number => Math.min(queuedDueAt(), timedDueAt()),
    /** Its poll must be reported with `onPolled` or `onPollFailed`. */
    take: (now: MonotonicMs): J | undefined => {
      // When a queued and a timed job are due, the older one is first, because its result expires first.
      const queuedIsDue = queuedDueAt() <= now;
      const timedIsDue = timedDueAt() <= now;
      const takeQueued =
        queuedIsDue && (!timedIsDue || (queued.peek()?.acceptedAt ?? 0) <= (timed.peek()?.acceptedAt ?? 0));
      if (!takeQueued) return timedIsDue ? timed.pop() : undefined;
      const job = queued.pop();
      if (job !== undefined) probing.add(job.item);
      return job;
    },
    /** A queued job is added again. */
    onPolled: (job: J, result: PollResult, now: MonotonicMs): void => {
      const wasProbe = probing.delete(job.item);
      if (result === 'queued') {
        if (wasProbe && now >= pausedUntil) pause(job, now);
        addAgain(job, now);
      } else if (wasProbe) {
        maxProbes += 1;
        ends += result === 'ended' ? 1 : 0;
      }
    },
    onPollFailed: (job: J): void => {
      probing.delete(job.item);
    },
  };
}
