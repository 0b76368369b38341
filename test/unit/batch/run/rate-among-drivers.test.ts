import { expect, onTestFinished, test } from 'vitest';
import { createGrantedRate, type GrantedRate } from '../../../../src/batch/run/rate-among-drivers.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import type { PaceGrant } from '../../../../src/batch/model/run-records.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A rate whose grants the test hands out. Time moves only by `advance`. */
function createWorld(wanted = 100) {
  const clock = createTestClock();
  const grants: Partial<PaceGrant>[] = [];
  const asked: { at: number; wanted: number }[] = [];
  const slowed: (number | undefined)[] = [];
  let sleeping: { until: number; wake: () => void } | undefined;
  const state = { wanted, woken: 0, closed: false, failing: false };
  const held: (() => void)[] = [];
  const rate = createGrantedRate({
    pace: {
      next: async (count) => {
        asked.push({ at: clock.monotonic(), wanted: count });
        await turn();
        if (state.failing) throw new Error('the database is not reached');
        const grant = grants.shift() ?? { requests: 0, validFrom: clock.monotonic() + 1000 };
        return { requests: 10, concurrency: 5, validFrom: 0, validUntil: 0, ...grant };
      },
      slowDown: (retryAfterMs) => {
        slowed.push(retryAfterMs);
        return new Promise((resolve) => held.push(resolve));
      },
      close: async () => {
        state.closed = true;
      },
    },
    clock: {
      ...clock,
      sleep: (milliseconds, signal) =>
        new Promise((resolve) => {
          sleeping = { until: clock.monotonic() + milliseconds, wake: resolve };
          signal?.addEventListener('abort', () => {
            resolve();
          });
        }),
    },
    random: () => 0.5,
    wanted: () => state.wanted,
    wake: () => (state.woken += 1),
  });
  onTestFinished(() => rate.close());
  const advance = async (milliseconds: number): Promise<void> => {
    clock.advance(milliseconds);
    if (sleeping !== undefined && sleeping.until <= clock.monotonic()) sleeping.wake();
    await turn();
    await turn();
  };
  return { rate, clock, grants, asked, slowed, held, state, advance };
}

const second = (number: number): Partial<PaceGrant> => ({ validFrom: number * 1000, validUntil: (number + 1) * 1000 });
const availableAt = (rate: GrantedRate, times: readonly number[]): readonly number[] =>
  times.map((time) => rate.available(time));

test('the requests of a grant are spread evenly over its time', async () => {
  const { rate, grants, state, advance } = createWorld();
  grants.push(second(0));
  expect(rate.available(0)).toBe(0);
  expect(rate.delay(0)).toBeUndefined();
  await advance(0);
  expect(state.woken).toBe(1);
  expect(rate.concurrency).toBe(5);
  expect(rate.delay(0)).toBe(0);
  expect(availableAt(rate, [0, 99, 100, 250, 999])).toEqual([1, 1, 2, 3, 10]);
  rate.take(3);
  expect(rate.available(250)).toBe(0);
  expect(rate.delay(250)).toBe(50);
  expect(availableAt(rate, [1000, 1500])).toEqual([0, 0]);
});

test('the grant for the next second is asked for ahead of time', async () => {
  const { rate, grants, asked, advance } = createWorld();
  grants.push(second(0), second(1));
  await advance(0);
  await advance(499);
  expect(asked).toHaveLength(1);
  await advance(1);
  expect(asked).toEqual([
    { at: 0, wanted: 100 },
    { at: 500, wanted: 100 },
  ]);
  expect([0, 400, 500, 900].map((ahead) => rate.availableWithin(500, ahead))).toEqual([6, 10, 11, 15]);
  rate.take(10);
  expect(rate.delay(600)).toBe(400);
  expect(availableAt(rate, [999, 1000, 1100])).toEqual([0, 1, 2]);
});

test('after a grant of nothing, the driver asks again when it was told', async () => {
  const { grants, asked, advance } = createWorld();
  grants.push({ requests: 0, validFrom: 700 }, second(1));
  await advance(0);
  await advance(699);
  expect(asked).toHaveLength(1);
  await advance(1);
  expect(asked).toHaveLength(2);
});

test('a grant ends while the machine is suspended, although the monotonic clock stops', async () => {
  const { rate, clock, grants, advance } = createWorld();
  grants.push(second(0));
  await advance(0);
  clock.jumpWall(900);
  expect(rate.available(50)).toBe(1);
  clock.jumpWall(60);
  expect(rate.available(50)).toBe(0);
});

test('a wall clock that is set back does not make a grant longer', async () => {
  const { rate, clock, grants, advance } = createWorld();
  grants.push(second(0));
  await advance(0);
  clock.jumpWall(-3_600_000);
  expect(availableAt(rate, [999, 1000])).toEqual([10, 0]);
});

test('a slow-down takes back the grants, and one message stands for many failures', async () => {
  const { rate, grants, slowed, held, advance } = createWorld();
  grants.push(second(0));
  await advance(0);
  rate.slowDown(undefined, 0);
  for (const retryAfterMs of [1000, 3000, undefined]) rate.slowDown(retryAfterMs, 0);
  expect(rate.available(500)).toBe(0);
  expect(slowed).toEqual([undefined]);
  held.shift()?.();
  await advance(0);
  expect(slowed).toEqual([undefined, 3000]);
});

test('after a failure of the database, nothing is sent until it grants again', async () => {
  const { rate, grants, state, asked, advance } = createWorld();
  state.failing = true;
  await advance(0);
  expect(rate.available(0)).toBe(0);
  state.failing = false;
  grants.push(second(1));
  await advance(1000);
  expect(asked).toHaveLength(2);
  expect(rate.available(1000)).toBe(1);
});

test('closing gives the share back and asks no more', async () => {
  const { rate, state, asked, advance } = createWorld();
  await advance(0);
  await rate.close();
  await advance(10_000);
  expect(state.closed).toBe(true);
  expect(asked).toHaveLength(1);
});
