import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRequestRates, createSendRate } from '../../../../src/batch/run/adaptive-rate.ts';
import { RATE_LIMITS } from '../../../../src/queue/limits.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';

const BOUNDS = { concurrency: 16, rate: 50 };

/** A rate on a clock that moves with `pass`. */
function createRate(bounds = BOUNDS, random = 0.5) {
  let now = 1_000_000;
  const rate = createSendRate(bounds, { monotonic: () => now }, () => random);
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { rate, pass, now: () => now };
}

const step = fc.oneof(
  fc.record({ kind: fc.constantFrom('success' as const, 'send' as const) }),
  fc.record({
    kind: fc.constant('backOff' as const),
    ago: fc.nat(5000),
    asked: fc.option(fc.nat(60_000), { nil: undefined }),
    throttled: fc.boolean(),
  }),
);

describe('a rate', () => {
  test('never exceeds its bounds, and never comes to a stop', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.nat(2000)), { maxLength: 200 }), (steps) => {
        const { rate, pass, now } = createRate();
        for (const [each, passes] of steps) {
          if (each.kind === 'success') rate.speedUp();
          else if (each.kind === 'backOff')
            rate.backOff({ sentAt: now() - each.ago, throttled: each.throttled, retryAfterMs: each.asked });
          else if (rate.delay(0) === 0) rate.take();
          expect(rate.concurrency).toBeLessThanOrEqual(BOUNDS.concurrency);
          expect(rate.concurrency).toBeGreaterThanOrEqual(1);
          expect(rate.perSecond).toBeLessThanOrEqual(BOUNDS.rate);
          expect(rate.perSecond).toBeGreaterThanOrEqual(1);
          expect(rate.delay(BOUNDS.concurrency)).toBeUndefined();
          expect(rate.delay(0)).toBeLessThanOrEqual(80_000);
          pass(passes);
        }
      }),
    );
  });

  test.each([
    ['stays below 96 % of the known limit', RATE_LIMITS.run, 900, 960],
    ['uses what it may', BOUNDS, 490, 506],
  ])('%s in ten seconds', (_, bounds, least, most) => {
    const { rate, pass, now } = createRate(bounds);
    const end = now() + 10_000;
    let sent = 0;
    for (let wait = rate.delay(0) ?? 1; now() + wait < end; wait = rate.delay(0) ?? 1) {
      pass(wait);
      if (rate.available(0) === 0) continue;
      rate.take();
      sent += 1;
    }
    expect(sent).toBeGreaterThan(least);
    expect(sent).toBeLessThanOrEqual(most);
  });

  test('halves once a storm, however many of it come back, and recovers', () => {
    const { rate, pass, now } = createRate();
    for (let count = 0; count < 200; count++) rate.speedUp();
    const sentAt = now();
    pass(100);
    for (let count = 0; count < 50; count++) rate.backOff({ sentAt, throttled: false });
    expect([rate.concurrency, rate.perSecond]).toEqual([8, 25]);
    for (let count = 0; count < 1000; count++) rate.speedUp();
    expect([rate.concurrency, rate.perSecond]).toEqual([16, 50]);
  });

  test('waits for the next window after a 429, halves after a second one, and recovers within a window', () => {
    const { rate, pass, now } = createRate(BOUNDS, 0);
    const throttled = (): readonly number[] => {
      rate.backOff({ sentAt: now(), throttled: true });
      return [rate.perSecond, rate.delay(0) ?? 0];
    };
    expect(throttled()).toEqual([50, 10_000]);
    rate.speedUp();
    pass(11_000);
    expect(throttled()).toEqual([25, 10_000]);
    for (let sent = 0; sent < 10 * 50; sent++) rate.speedUp();
    expect(rate.perSecond).toBe(50);
    pass(40_000);
    expect(throttled()[0]).toBe(50);
  });

  test('waits 30 s at most, and goes on with one request, after however many backoffs', () => {
    const { rate, pass, now } = createRate(BOUNDS, 1);
    for (let count = 0; count < 30; count++) {
      rate.backOff({ sentAt: now(), throttled: false });
      expect(rate.delay(0)).toBeLessThanOrEqual(30_000);
      pass(30_001);
    }
    expect([rate.concurrency, rate.available(0)]).toEqual([1, 1]);
  });

  test('spreads the rest of a nearly used window and waits for an exhausted one', () => {
    const window = { name: 'minute', quota: 60, windowSeconds: 60, seenAt: 0 };
    const delayIn = (remaining: number, resetSeconds: number): number | undefined => {
      const { rate } = createRate();
      rate.applyWindows([{ ...window, remaining, resetSeconds }]);
      rate.take(rate.available(0));
      return rate.delay(0);
    };
    expect(delayIn(6, 12)).toBe(2000);
    expect(delayIn(0, 12)).toBe(12_000);
    // In over an hour: the next 429 stops the batch.
    expect(delayIn(0, 40_000)).toBe(20);
    expect(delayIn(59, 12)).toBe(20);
  });
});

test.each([
  ['submit', 'poll'],
  ['poll', 'submit'],
] as const)('a long wait of %s delays %s by seconds only: results expire', (kind, other) => {
  const clock = createTestClock();
  const rates = createRequestRates({ concurrency: 8, rate: 10 }, 1, clock, () => 0.5);
  rates.backOff(kind, { sentAt: clock.monotonic(), throttled: true, retryAfterMs: 600_000 });
  expect(rates[kind].delay(0)).toBeGreaterThanOrEqual(600_000);
  expect(rates[other].delay(0)).toBeLessThanOrEqual(11_000);
});
