import { describe, expect, it } from 'vitest';
import { advanceClock, createLocalClock } from '../../../../src/local/state/clock.ts';
import { createState } from '../../../../src/local/state/state.ts';
import type { Clock } from '../../../../src/core/context.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';

/** A clock on which a sleep ends only when it is aborted. */
const stillClock = (): Clock => ({
  ...createTestClock(),
  sleep: (_, signal) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    }),
});

describe("the local service's time", () => {
  const never = new AbortController().signal;

  it('is the host time and what was added, and never goes back', () => {
    const host = createTestClock(1000);
    const time = createLocalClock(host);
    const state = createState(1000);
    expect(time.update(state)).toBe(1000);
    advanceClock(state, 500);
    expect(time.update(state)).toBe(1500);
    state.asOf = 9000;
    expect(time.update(state)).toBe(9000);
  });

  it('sleeps on the host clock', async () => {
    const host = createTestClock();
    await createLocalClock(host).sleep(1500, never);
    expect(host.slept).toEqual([1500]);
  });

  it('wakes a sleeper that an advance has carried past its time', async () => {
    const time = createLocalClock(stillClock());
    const state = createState(0);
    const slept = time.sleep(60_000, never);
    advanceClock(state, 60_000);
    time.update(state);
    await slept;
  });

  it('ends a sleep with the reason of its signal', async () => {
    const controller = new AbortController();
    const slept = createLocalClock(stillClock()).sleep(60_000, controller.signal);
    controller.abort(new Error('hung up'));
    await expect(slept).rejects.toThrow('hung up');
  });
});
