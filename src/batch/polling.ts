/** What was seen of the jobs that have ended, in milliseconds; a running mean in which the latest count most. */
export interface Experience {
  /** From submission to end. */
  readonly turnaroundMs: number | undefined;
  /** On a worker. */
  readonly executionMs: number | undefined;
}

/** A job that is looked after. Times are milliseconds since the epoch. */
export interface Watched {
  readonly item: number;
  readonly submittedAt: number;
  /** Looks so far. */
  readonly looks: number;
  /** When to look next. */
  readonly lookAt: number;
}

export const NO_EXPERIENCE: Experience = { turnaroundMs: undefined, executionMs: undefined };

/** The weight of the latest job. */
const WEIGHT = 0.1;
const SHORTEST_MS = 100;
const FIRST_LOOK_MS = 250;
/**
 * Results are kept for 30 minutes (specification 8.2), and a job is looked at this often at least: whatever ends between
 * two looks is fetched long before it is gone.
 */
const LONGEST_MS = 60_000;

/** What one more job that has ended teaches. Times that the service did not give are left out. */
export const learned = (
  experience: Experience,
  turnaroundMs: number | undefined,
  executionMs: number | undefined,
): Experience => ({
  turnaroundMs: mean(experience.turnaroundMs, turnaroundMs),
  executionMs: mean(experience.executionMs, executionMs),
});

const mean = (before: number | undefined, value: number | undefined): number | undefined =>
  before === undefined || value === undefined ? (value ?? before) : before + WEIGHT * (value - before);

/** When to look at a job for the first time: a little before jobs like it ended. */
export const firstLook = (experience: Experience, submittedAt: number): number =>
  submittedAt + bounded((experience.turnaroundMs ?? FIRST_LOOK_MS / 0.9) * 0.9);

/**
 * When to look again at a job that has not ended. One that runs is soon done, as its like were; one that waits has at
 * least that long to go. Every look that finds nothing makes the next one later, so that a slow job costs little and
 * holds nobody up.
 */
export function nextLook(experience: Experience, looks: number, running: boolean, now: number): number {
  const execution = experience.executionMs ?? FIRST_LOOK_MS;
  const turnaround = experience.turnaroundMs ?? FIRST_LOOK_MS;
  const base = running ? execution / 4 : Math.max(execution / 2, turnaround / 10);
  return now + bounded(base * 1.5 ** Math.min(40, looks));
}

const bounded = (milliseconds: number): number => Math.min(LONGEST_MS, Math.max(SHORTEST_MS, milliseconds));

/** The order in which jobs are looked at: who is due first, and of those the oldest, whose result is gone first. */
export const inOrder = (a: Watched, b: Watched): number => a.lookAt - b.lookAt || a.submittedAt - b.submittedAt;

/**
 * How far the service has come with the queue, as last seen: a job submitted then still waits. Jobs are taken in the
 * order they came, so those behind it wait as well, and nobody looks at them before `until`.
 */
export interface Front {
  readonly submittedAt: number;
  readonly until: number;
}

/** Looks that feel out the front once its time has come. */
const PROBES = 2;

/** A front is believed for so long at most: where one job is passed over by others, it must not hold them up. */
const FRONT_MS = 1000;

/** The front after a look at a job that waits, or does not any more; `lookAgainAt` is when it is to be looked at next. */
export function frontAfter(
  front: Front | undefined,
  job: Watched,
  waits: boolean,
  lookAgainAt: number,
  now: number,
): Front | undefined {
  if (!waits) return front !== undefined && job.submittedAt >= front.submittedAt ? undefined : front;
  const submittedAt = Math.min(job.submittedAt, front?.submittedAt ?? Number.POSITIVE_INFINITY);
  return { submittedAt, until: Math.min(now + FRONT_MS, Math.max(lookAgainAt, front?.until ?? 0)) };
}

/** The moment before which a look at a job is in vain; never, where others are feeling out the front already. */
export const lookAfter = (front: Front | undefined, job: Watched, looking: number): number =>
  front === undefined || job.submittedAt < front.submittedAt
    ? Number.NEGATIVE_INFINITY
    : looking < PROBES
      ? front.until
      : Number.POSITIVE_INFINITY;
