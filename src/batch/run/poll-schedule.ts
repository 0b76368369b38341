import TinyQueue from 'tinyqueue';

/** What was seen of the jobs that have ended, in milliseconds: what the quicker of the latest ones took. */
export interface Experience {
  /** From submission to end. */
  readonly turnaroundMs: number | undefined;
  /** On a worker. */
  readonly executionMs: number | undefined;
}

/** A job that is looked after. Times are milliseconds of the monotonic clock. */
export interface Watched {
  readonly item: number;
  readonly submittedAt: number;
  /** Looks that found it waiting, since it stands in the line. */
  readonly looks: number;
  /** When to look next, where that is its own and not the line's. */
  readonly lookAt: number;
}

export const NO_EXPERIENCE: Experience = { turnaroundMs: undefined, executionMs: undefined };

/** The weight of the latest job where it was quicker, and where it was slower: a few slow ones must not hold up the others. */
const QUICKER = 0.3;
const SLOWER = 0.05;

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
  before === undefined || value === undefined
    ? (value ?? before)
    : before + (value < before ? QUICKER : SLOWER) * (value - before);

const SHORTEST_MS = 100;
const FIRST_LOOK_MS = 250;
/**
 * Results are kept for 30 minutes (specification 8.2), and a job is looked at this often at least: whatever ends between
 * two looks is fetched long before it is gone.
 */
const LONGEST_MS = 60_000;
/** A job of which nothing is known is looked at again after this part of the time that it took already. */
const PART = 1 / 8;
/** So many looks a second, at most, go to all jobs of which nothing is known. */
const BLIND_LOOKS = 50;

const bounded = (milliseconds: number): number => Math.min(LONGEST_MS, Math.max(SHORTEST_MS, milliseconds));

/** The age, in milliseconds, before which a look at a job is in vain. Queues aside: the line knows of those. */
export const firstLook = ({ turnaroundMs, executionMs }: Experience): number =>
  turnaroundMs === undefined
    ? FIRST_LOOK_MS
    : bounded(Math.min(turnaroundMs * 0.95, (executionMs ?? Number.POSITIVE_INFINITY) * 1.5));

/**
 * The milliseconds until the next look at a job that has not ended. One that ran for `ranMs` is done when its like were;
 * of those that take longer, and of one that waited for `waitedMs`, nobody knows: the longer it was, the longer it may
 * be. `blind` is how many of these there are.
 */
export function nextLook(
  { executionMs }: Experience,
  waitedMs: number,
  ranMs: number | undefined,
  blind: number,
): number {
  if (ranMs !== undefined && executionMs !== undefined && ranMs < executionMs) return bounded(executionMs - ranMs);
  return bounded(Math.max(FIRST_LOOK_MS, (ranMs ?? waitedMs) * PART, (blind / BLIND_LOOKS) * 1000));
}

/** The milliseconds until another look at a job at which so many in a row, one or more, came to nothing. */
export const nextTry = (failures: number): number => bounded(FIRST_LOOK_MS * 2 ** (failures - 1));

/** What a look found of a job. */
export type Found = 'waits' | 'goes-on' | 'ended';

/**
 * Whose turn it is to be looked at. Jobs that nobody has seen on a worker stand in a line, oldest first: a service takes
 * them in that order, so one that still waits speaks for all behind it, and one that has ended says that the next may
 * have. All others have a time of their own.
 */
export interface Rota<J extends Watched> {
  /** Puts a job into the line. */
  readonly queue: (job: J) => void;
  /** Has a job looked at when its own time, `lookAt`, has come. */
  readonly schedule: (job: J) => void;
  /** When the next look is due; never, where looks that are under way must end first. */
  readonly dueAt: () => number;
  /** The job whose turn it is, once that moment has come. `found` must be told of it, or `lost`. */
  readonly take: (now: number) => J | undefined;
  /** One that waits is kept here. */
  readonly found: (job: J, what: Found, now: number) => void;
  /** The look came to nothing. */
  readonly lost: (job: J) => void;
  /** Jobs with a time of their own. */
  readonly scheduled: () => number;
}

/** Looks at the line that may be under way at once: so many to begin with, one more for each that was not in vain. */
const PROBES = 2;
/** A job that was found waiting so often is passed over by others, or stands where nothing moves: it leaves the line. */
const PATIENCE = 3;
/** Between two goes at the line, at most, and at most this part of the age of its head. */
const LONGEST_GAP_MS = 10_000;
const GAP_PART = 1 / 16;
/** Ends that a go at the line should find: fewer cost too many looks, more come too late. */
const FEW_ENDS = 1;
const MANY_ENDS = 4;

export function createRota<J extends Watched>(experience: () => Experience): Rota<J> {
  const line = new TinyQueue<J>([], (a, b) => a.submittedAt - b.submittedAt || a.item - b.item);
  const own = new TinyQueue<J>([], (a, b) => a.lookAt - b.lookAt || a.submittedAt - b.submittedAt);
  const probing = new Set<number>();
  let probes = PROBES;
  let lineAt = Number.NEGATIVE_INFINITY;
  let gapMs = FIRST_LOOK_MS;
  let ends = 0;

  const lineDue = (): number => {
    const head = line.peek();
    if (head === undefined || probing.size >= probes) return Number.POSITIVE_INFINITY;
    return Math.max(lineAt, head.submittedAt + firstLook(experience()));
  };
  const ownDue = (): number => own.peek()?.lookAt ?? Number.POSITIVE_INFINITY;

  /** The head of the line waits, and so does the line. */
  const close = (head: J, now: number): void => {
    if (ends < FEW_ENDS) gapMs *= 1.5;
    else if (ends > MANY_ENDS) gapMs /= 2;
    const most = Math.min(LONGEST_GAP_MS, Math.max(FIRST_LOOK_MS, (now - head.submittedAt) * GAP_PART));
    gapMs = Math.max(SHORTEST_MS, Math.min(most, gapMs));
    lineAt = now + gapMs;
    ends = 0;
    probes = PROBES;
  };

  const keep = (job: J, now: number): void => {
    if (job.looks + 1 < PATIENCE) line.push({ ...job, looks: job.looks + 1 });
    else own.push({ ...job, lookAt: now + nextLook(experience(), now - job.submittedAt, undefined, own.length) });
  };

  return {
    queue: (job) => {
      line.push(job);
    },
    schedule: (job) => {
      own.push(job);
    },
    dueAt: () => Math.min(lineDue(), ownDue()),
    take: (now) => {
      // Of those that are due the oldest comes first: its result is gone first.
      const byLine = lineDue() <= now;
      const byOwn = ownDue() <= now;
      const inLine = byLine && (!byOwn || (line.peek()?.submittedAt ?? 0) <= (own.peek()?.submittedAt ?? 0));
      if (!inLine) return byOwn ? own.pop() : undefined;
      const job = line.pop();
      if (job !== undefined) probing.add(job.item);
      return job;
    },
    found: (job, what, now) => {
      const probed = probing.delete(job.item);
      if (what === 'waits') {
        if (probed && now >= lineAt) close(job, now);
        keep(job, now);
      } else if (probed) {
        probes += 1;
        ends += what === 'ended' ? 1 : 0;
      }
    },
    lost: (job) => {
      probing.delete(job.item);
    },
    scheduled: () => own.length,
  };
}
