import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPollSchedule } from '../../../../src/batch/run/poll-schedule.ts';

/** A job of a service that is only thought of. */
interface Thought {
  readonly acceptedAt: number;
  readonly startsAt: number;
  readonly endsAt: number;
}

interface Model {
  readonly jobs: number;
  readonly workers: number;
  readonly coldStartMs: number;
  /** What a worker has to do for each. */
  readonly runs: (at: number) => number;
  /** Jobs that are passed over until all others have begun. */
  readonly passedOver?: readonly number[];
  readonly submittedEveryMs: number;
}

/** When jobs start and end that are taken in the order they came. */
function thoughtOf({ jobs, workers, coldStartMs, runs, passedOver = [], submittedEveryMs }: Model): readonly Thought[] {
  const free = Array.from({ length: workers }, () => coldStartMs);
  const thought: Thought[] = [];
  const order = Array.from({ length: jobs }, (_, at) => at).filter((at) => !passedOver.includes(at));
  for (const at of [...order, ...passedOver]) {
    const acceptedAt = at * submittedEveryMs;
    const worker = free.indexOf(Math.min(...free));
    const startsAt = Math.max(acceptedAt, free[worker] ?? 0);
    free[worker] = startsAt + runs(at);
    thought[at] = { acceptedAt, startsAt, endsAt: startsAt + runs(at) };
  }
  return thought;
}

/** Looks as the schedule says, each of which takes `LATENCY_MS`, and tells how many there were and how late each end was seen. */
const LATENCY_MS = 50;

function looked(model: Model): {
  readonly perJob: number;
  readonly late: readonly number[];
  readonly lastLate: number;
} {
  const thought = thoughtOf(model);
  const schedule = createPollSchedule<{ item: number; acceptedAt: number; queuedPolls: number; pollAt: number }>(
    () => 198,
  );
  const late: number[] = [];
  const underWay: { readonly at: number; readonly heard: () => void }[] = [];
  let [now, looks, submitted, lastSeen] = [0, 0, 0, 0];
  while (late.length < model.jobs) {
    for (let next = thought[submitted]; next !== undefined && next.acceptedAt <= now; next = thought[submitted]) {
      schedule.addQueued({ item: submitted, acceptedAt: next.acceptedAt, queuedPolls: 0, pollAt: 0 });
      submitted += 1;
    }
    while (underWay[0] !== undefined && underWay[0].at <= now) underWay.shift()?.heard();
    while (schedule.dueAt() <= now) {
      const job = schedule.take(now);
      const known = job === undefined ? undefined : thought[job.item];
      if (job === undefined || known === undefined) throw new Error('nothing was due');
      looks += 1;
      const seenAt = now + LATENCY_MS / 2;
      underWay.push({
        at: now + LATENCY_MS,
        heard: () => {
          if (known.endsAt <= seenAt) {
            schedule.onPolled(job, 'ended', now);
            schedule.onEnded(known.endsAt - known.acceptedAt, known.endsAt - known.startsAt);
            late.push(now - known.endsAt);
            lastSeen = now;
          } else if (known.startsAt <= seenAt) {
            schedule.onPolled(job, 'running', now);
            schedule.addLater(job, now, seenAt - known.startsAt);
          } else schedule.onPolled(job, 'queued', now);
        },
      });
    }
    const next = Math.min(schedule.dueAt(), underWay[0]?.at ?? Infinity, thought[submitted]?.acceptedAt ?? Infinity);
    if (next === Infinity && late.length < model.jobs) throw new Error('nobody is looked at any more');
    now = Math.max(now + 1, next);
  }
  const lastEnd = Math.max(...thought.map(({ endsAt }) => endsAt));
  return { perJob: looks / model.jobs, late, lastLate: lastSeen - lastEnd };
}

const base: Model = { jobs: 1000, workers: 3, coldStartMs: 1000, runs: () => 1000, submittedEveryMs: 10 };
/** Numbers from nought to one that look like chance, the same each time. */
const chance = (at: number): number => ((at * 2_654_435_761) % 4_294_967_296) / 4_294_967_296;

/** Each service, the looks a job that are enough, and the milliseconds that an end is seen late: on average, and the last. */
const SERVICES: readonly (readonly [string, Partial<Model>, number, number, number])[] = [
  ['takes three at a time', {}, 4, 1000, 1500],
  ['takes a hundred at a time', { workers: 100 }, 4, 500, 1000],
  ['takes one at a time', { workers: 1, jobs: 300 }, 4, 1000, 1500],
  ['takes as many as come', { workers: 1000 }, 3, 500, 1000],
  ['is quick', { workers: 50, runs: () => 20 }, 3, 500, 1000],
  ['begins late', { coldStartMs: 60_000, workers: 20 }, 4, 800, 1500],
  ['takes long for each', { workers: 1000, runs: () => 300_000 }, 16, 20_000, 30_000],
  ['takes long for some', { workers: 100, runs: (at) => (at % 2 === 0 ? 1000 : 60_000) }, 9, 5000, 8000],
  ['takes how long it will', { workers: 30, runs: (at) => 100 + 20_000 * chance(at) }, 9, 2000, 2000],
  ['passes one over', { passedOver: [5] }, 4, 500, 40_000],
  ['passes a few over', { passedOver: [5, 6, 7, 8, 9, 10, 11, 12] }, 4, 1000, 40_000],
  ['has few to do', { jobs: 5, workers: 5 }, 12, 500, 500],
  ['has few to do and begins late', { jobs: 3, coldStartMs: 8000 }, 40, 1500, 1500],
];

describe('polling a service that', () => {
  test.each(SERVICES)('%s: sees ends soon, with few polls', (_, changes, mostLooks, mostLate, mostLast) => {
    const { perJob, late, lastLate } = looked({ ...base, ...changes });
    const mean = late.reduce((sum, each) => sum + each, 0) / late.length;
    expect(perJob).toBeLessThan(mostLooks);
    expect(mean).toBeLessThan(mostLate);
    expect(lastLate).toBeLessThan(mostLast);
  });

  test('behaves in any other way: sees every end, at most 5 s and half of the wait late', () => {
    const model = fc.record({
      jobs: fc.integer({ min: 1, max: 120 }),
      workers: fc.integer({ min: 1, max: 40 }),
      coldStartMs: fc.nat(120_000),
      submittedEveryMs: fc.nat(300),
      longest: fc.integer({ min: 1, max: 100_000 }),
      passedOver: fc.option(fc.nat(119), { nil: undefined }),
    });
    fc.assert(
      fc.property(model, ({ longest, passedOver, ...rest }) => {
        const over = passedOver !== undefined && passedOver < rest.jobs ? { passedOver: [passedOver] } : {};
        const all: Model = { ...rest, ...over, runs: (at) => 1 + longest * chance(at) };
        const { late } = looked(all);
        const thought = thoughtOf(all);
        const longestWait = Math.max(...thought.map(({ acceptedAt, endsAt }) => endsAt - acceptedAt));
        // Most are seen much sooner: so late is one of a few jobs that runs far longer than those before it.
        expect(Math.max(...late)).toBeLessThan(5000 + longestWait / 2);
      }),
      { numRuns: 60 },
    );
  });
});
