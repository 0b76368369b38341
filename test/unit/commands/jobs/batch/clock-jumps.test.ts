import { describe, expect, test } from 'vitest';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { items, RUN, summary, write } from '../../../../support/batch/command-fixture.ts';
import { createTinyQueueWorld, type TinyQueueWorld } from '../../../../support/batch/tiny-queue-server.ts';

const TEN_DAYS_MS = 10 * 86_400_000;
const JUMPS = [
  ['forward', TEN_DAYS_MS],
  ['back', -TEN_DAYS_MS],
] as const;

/** A service whose jobs are done at their third look. */
async function slowService(): Promise<TinyQueueWorld> {
  const polls = new Map<string, number>();
  const world = await createTinyQueueWorld({
    status: (job) => {
      const count = (polls.get(job) ?? 0) + 1;
      polls.set(job, count);
      return count < 3 ? { status: 'IN_PROGRESS', output: undefined } : {};
    },
  });
  write(world, 'in.jsonl', items(40));
  return world;
}

/** Sets the wall clock once, when the n-th request of a kind is answered. */
const jumpAt = (world: TinyQueueWorld, kind: string, at: number, milliseconds: number): void => {
  world.before = (operation, nth) => {
    if (operation === kind && nth === at) world.clock.jumpWall(milliseconds);
  };
};

const tookOf = (ran: Parameters<typeof summary>[0]): number => Number(summary(ran)['tookSeconds']);

describe.each(JUMPS)('a batch while the wall clock is set ten days %s', (_, jumpMs) => {
  test.each(['run', 'status'])('during a %s completes as usual', async (kind) => {
    const world = await slowService();
    jumpAt(world, kind, 15, jumpMs);
    const ran = await berthIn(world, [...RUN, '--max-time', '1h', '--json']);
    expect(ran.code, ran.err).toBe(0);
    expect(summary(ran)).toMatchObject({ completed: 40 });
    expect(world.submitted).toHaveLength(40);
    expect(tookOf(ran)).toBeGreaterThan(0);
    expect(tookOf(ran)).toBeLessThan(TEN_DAYS_MS / 1000);
  });

  test('ends exactly when --max-time has passed', async () => {
    const world = await createTinyQueueWorld({ status: () => ({ status: 'IN_PROGRESS' }) });
    write(world, 'in.jsonl', items(10));
    jumpAt(world, 'status', 3, jumpMs);
    const began = world.clock.monotonic();
    const ran = await berthIn(world, [...RUN, '--max-time', '60s', '--json']);
    expect(ran.code, ran.err).toBe(9);
    expect(summary(ran)).toMatchObject({ inFlight: 10 });
    expect(world.clock.monotonic() - began).toBeGreaterThanOrEqual(60_000);
    expect(tookOf(ran)).toBeGreaterThanOrEqual(59);
  });

  test('after a 429 continues when the wait is over', async () => {
    let refused = 0;
    const world = await createTinyQueueWorld({
      submit: ({ nth }) => {
        if (nth !== 5) return undefined;
        refused += 1;
        return { status: 429, body: { error: 'slow down' } };
      },
    });
    write(world, 'in.jsonl', items(20));
    jumpAt(world, 'run', 6, jumpMs);
    const ran = await berthIn(world, [...RUN, '--max-time', '10m', '--json']);
    expect([ran.code, refused], ran.err).toEqual([0, 1]);
    expect(summary(ran)).toMatchObject({ completed: 20 });
  });
});
