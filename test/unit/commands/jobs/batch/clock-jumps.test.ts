import { describe, expect, test } from 'vitest';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { items, RESUME, RUN, summary, write } from '../../../../support/batch/command-fixture.ts';
import { tinyPlace, type TinyPlace } from '../../../../support/batch/tiny-queue-server.ts';

const TEN_DAYS_MS = 10 * 86_400_000;
const JUMPS = [
  ['forward', TEN_DAYS_MS],
  ['back', -TEN_DAYS_MS],
] as const;

/** A service whose jobs are done at their third look. */
async function slowService(): Promise<TinyPlace> {
  const looks = new Map<string, number>();
  const place = await tinyPlace({
    look: (job) => {
      const count = (looks.get(job) ?? 0) + 1;
      looks.set(job, count);
      return count < 3 ? { status: 'IN_PROGRESS', output: undefined } : {};
    },
  });
  write(place, 'in.jsonl', items(40));
  return place;
}

/** Sets the wall clock once, when the n-th request of a kind is answered. */
const jumpAt = (place: TinyPlace, kind: string, at: number, milliseconds: number): void => {
  place.before = (operation, nth) => {
    if (operation === kind && nth === at) place.clock.jumpWall(milliseconds);
  };
};

const tookOf = (ran: Parameters<typeof summary>[0]): number => Number(summary(ran)['tookSeconds']);

describe.each(JUMPS)('a batch while the wall clock is set ten days %s', (_, jumpMs) => {
  test.each(['run', 'status'])('in the middle of a %s goes on as if nothing had happened', async (kind) => {
    const place = await slowService();
    jumpAt(place, kind, 15, jumpMs);
    const ran = await berthIn(place, [...RUN, '--max-time', '1h', '--json']);
    expect(ran.code, ran.err).toBe(0);
    expect(summary(ran)).toMatchObject({ completed: 40 });
    expect(place.submitted).toHaveLength(40);
    expect(tookOf(ran)).toBeGreaterThan(0);
    expect(tookOf(ran)).toBeLessThan(3600);
  });

  test('ends when --max-time is up, not sooner or later', async () => {
    const place = await tinyPlace({ look: () => ({ status: 'IN_PROGRESS' }) });
    write(place, 'in.jsonl', items(10));
    jumpAt(place, 'status', 3, jumpMs);
    const began = place.clock.monotonic();
    const ran = await berthIn(place, [...RUN, '--max-time', '60s', '--json']);
    expect(ran.code, ran.err).toBe(9);
    expect(summary(ran)).toMatchObject({ inFlight: 10 });
    expect(place.clock.monotonic() - began).toBeGreaterThanOrEqual(60_000);
    expect(tookOf(ran)).toBeGreaterThanOrEqual(59);
  });

  test('between two runs goes on', async () => {
    const place = await slowService();
    place.before = (operation, nth) => {
      if (operation === 'run' && nth === 20) place.signal('SIGINT');
    };
    expect((await berthIn(place, RUN)).code).toBe(130);
    place.before = () => undefined;
    place.clock.jumpWall(jumpMs);
    const ran = await berthIn(place, [...RESUME, '--max-time', '1h', '--json']);
    expect(ran.code, ran.err).toBe(0);
    expect(summary(ran)).toMatchObject({ completed: 40 });
    expect(tookOf(ran)).toBeGreaterThan(0);
    expect(tookOf(ran)).toBeLessThan(3600);
    expect(place.submitted).toHaveLength(40);
  });

  test('after a 429 goes on when its wait is over', async () => {
    let refused = 0;
    const place = await tinyPlace({
      submit: ({ nth }) => {
        if (nth !== 5) return undefined;
        refused += 1;
        return { status: 429, body: { error: 'slow down' } };
      },
    });
    write(place, 'in.jsonl', items(20));
    jumpAt(place, 'run', 6, jumpMs);
    const ran = await berthIn(place, [...RUN, '--max-time', '10m', '--json']);
    expect([ran.code, refused], ran.err).toEqual([0, 1]);
    expect(summary(ran)).toMatchObject({ completed: 20 });
  });
});
