import TinyQueue from 'tinyqueue';
import type { Absence } from '../../core/not-there-yet.ts';
import type { KnownJob } from '../model/run-records.ts';
import { FIRST_POLL_DELAY_MS, MIN_POLL_DELAY_MS, type PollDelays } from './poll-delays.ts';

/** A job as it is in the journal, without its date: durations are measured by the monotonic clock. */
export type JobRef = Omit<KnownJob, 'submittedAt'>;

/** A job between two polls. */
export interface Job extends JobRef, PolledJob {
  /** Number of polls in a row to which the service answered that the job does not exist, and what they mean. */
  readonly notFoundPolls: number;
  readonly absence: Absence | undefined;
  /** Number of polls in a row that failed, 429 excluded. */
  readonly failedPolls: number;
  /** `failed` and `expired`: how it ended in an earlier run. It is then retried, or asked for once. */
  readonly kind: 'submitted' | 'failed' | 'expired';
}

/** Lists the members one by one: thousands of jobs are created per second, and object spread is slower. */
export const newJob = ({ item, job, id, retries }: JobRef, submittedAt: number, kind: Job['kind']): Job => ({
  item,
  job,
  id,
  submittedAt,
  retries,
  queuedPolls: 0,
  notFoundPolls: 0,
  absence: undefined,
  failedPolls: 0,
  kind,
  pollAt: submittedAt,
});

/** A job that is polled. Times are milliseconds of the monotonic clock. */
interface PolledJob {
  readonly item: number;
  readonly submittedAt: number;
  /** Polls that found it queued. */
  readonly queuedPolls: number;
  /** When to poll it, if it is a timed job. */
  readonly pollAt: number;
}

type PollResult = 'queued' | 'running' | 'ended';

/**
 * Maximum number of concurrent polls of queued jobs, at the start and after each pause. It grows by one with each poll
 * that finds a started job.
 */
const INITIAL_PROBES = 2;
/** After this many polls that found it queued, a job becomes timed: the service may not start jobs in order. */
const MAX_QUEUED_POLLS = 3;
/** Longest pause between polls of queued jobs, and the same as a fraction of the age of the first one. */
const MAX_PAUSE_MS = 10_000;
const PAUSE_FRACTION = 1 / 16;
/**
 * Number of ended jobs that the polls between two pauses should find. After fewer, the pause gets longer; after more,
 * shorter.
 */
const MIN_ENDS = 1;
const MAX_ENDS = 4;

/**
 * Decides which job is polled next. Jobs that no worker has started are kept in submission order: a service starts jobs
 * in that order, so when the first one is still queued, the others are too, and when it has ended, the next one may
 * have ended too. All other jobs are timed: each has its own time of the next poll.
 */
export function createPollSchedule<J extends PolledJob>(delays: PollDelays) {
  const queued = new TinyQueue<J>([], (a, b) => a.submittedAt - b.submittedAt || a.item - b.item);
  const timed = new TinyQueue<J>([], (a, b) => a.pollAt - b.pollAt || a.submittedAt - b.submittedAt);
  const probing = new Set<number>();
  let maxProbes = INITIAL_PROBES;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let pauseMs = FIRST_POLL_DELAY_MS;
  let ends = 0;

  const queuedDueAt = (): number => {
    const first = queued.peek();
    if (first === undefined || probing.size >= maxProbes) return Number.POSITIVE_INFINITY;
    return Math.max(pausedUntil, first.submittedAt + delays.first(timed.length));
  };
  const timedDueAt = (): number => timed.peek()?.pollAt ?? Number.POSITIVE_INFINITY;

  /** The first job is still queued, so all later ones are too: stop polling queued jobs for some time. */
  const pause = (first: J, now: number): void => {
    if (ends < MIN_ENDS) pauseMs *= 1.5;
    else if (ends > MAX_ENDS) pauseMs /= 2;
    const longest = Math.min(MAX_PAUSE_MS, Math.max(FIRST_POLL_DELAY_MS, (now - first.submittedAt) * PAUSE_FRACTION));
    pauseMs = Math.max(MIN_POLL_DELAY_MS, Math.min(longest, pauseMs));
    pausedUntil = now + pauseMs;
    ends = 0;
    maxProbes = INITIAL_PROBES;
  };

  const addAgain = (job: J, now: number): void => {
    if (job.queuedPolls + 1 < MAX_QUEUED_POLLS) {
      queued.push({ ...job, queuedPolls: job.queuedPolls + 1 });
      return;
    }
    const delayMs = delays.next(now - job.submittedAt, undefined, timed.length);
    timed.push({ ...job, pollAt: now + delayMs });
  };

  return {
    /** Adds a job that no worker has started. */
    addQueued: (job: J): void => {
      queued.push(job);
    },
    /** Adds a job that is polled at its `pollAt`. */
    addTimed: (job: J): void => {
      timed.push(job);
    },
    /** When the next poll is due; infinity when polls in progress must finish first. */
    dueAt: (): number => Math.min(queuedDueAt(), timedDueAt()),
    /** Removes and returns a job that is due. Its poll must be reported with `onPolled` or `onPollFailed`. */
    take: (now: number): J | undefined => {
      // When a queued and a timed job are due, the older one is first, because its result expires first.
      const queuedIsDue = queuedDueAt() <= now;
      const timedIsDue = timedDueAt() <= now;
      const takeQueued =
        queuedIsDue && (!timedIsDue || (queued.peek()?.submittedAt ?? 0) <= (timed.peek()?.submittedAt ?? 0));
      if (!takeQueued) return timedIsDue ? timed.pop() : undefined;
      const job = queued.pop();
      if (job !== undefined) probing.add(job.item);
      return job;
    },
    /** Reports what a poll found. A queued job is added again. */
    onPolled: (job: J, result: PollResult, now: number): void => {
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
    timedCount: (): number => timed.length,
  };
}
