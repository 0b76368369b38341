import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  applyWindows,
  createSendRate,
  speedUp,
  maxIntents,
  takeTokens,
  backOff,
  delayUntilNext,
  type SendRate,
} from '../../../../src/batch/run/adaptive-rate.ts';
import { RATE_LIMITS } from '../../../../src/queue/limits.ts';

const BOUNDS = { concurrency: 16, rate: 50 };

type Step = (pace: SendRate, now: number) => SendRate;
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>((pace) => speedUp(pace)),
  fc.constant<Step>((pace, now) => (delayUntilNext(pace, 0, now) === 0 ? takeTokens(pace, now) : pace)),
  fc
    .record({
      ago: fc.nat(5000),
      asked: fc.option(fc.nat(60_000), { nil: undefined }),
      random: fc.double({ min: 0, max: 0.999, noNaN: true }),
    })
    .map(
      ({ ago, asked, random }): Step =>
        (pace, now) =>
          backOff(pace, now, { sentAt: now - ago, throttled: random > 0.5, retryAfterMs: asked }, random),
    ),
);

describe('a pace', () => {
  test('never exceeds its bounds, and never comes to a stop', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.nat(2000)), { maxLength: 200 }), (steps) => {
        let now = 1_000_000;
        let pace = createSendRate(BOUNDS, now);
        for (const [change, passes] of steps) {
          pace = change(pace, now);
          expect(pace.concurrency).toBeLessThanOrEqual(BOUNDS.concurrency);
          expect(pace.concurrency).toBeGreaterThanOrEqual(1);
          expect(pace.perSecond).toBeLessThanOrEqual(BOUNDS.rate);
          expect(pace.perSecond).toBeGreaterThanOrEqual(1);
          expect(delayUntilNext(pace, BOUNDS.concurrency, now)).toBeUndefined();
          const wait = delayUntilNext(pace, 0, now);
          expect(wait).toBeDefined();
          expect(delayUntilNext(pace, 0, now + (wait ?? 0))).toBe(0);
          now += passes;
        }
      }),
    );
  });

  test('allows no more than its rate in any ten seconds, and nothing while it is paused', () => {
    let now = 0;
    let pace = createSendRate(BOUNDS, now);
    const times: number[] = [];
    while (now < 30_000) {
      const wait = delayUntilNext(pace, 0, now) ?? 1;
      if (wait > 0) {
        now += wait;
        continue;
      }
      pace = takeTokens(pace, now);
      times.push(now);
      if (times.length === 300) pace = backOff(pace, now, { sentAt: now, throttled: true, retryAfterMs: 4000 }, 0);
    }
    for (const from of times)
      expect(times.filter((at) => at >= from && at < from + 10_000).length).toBeLessThanOrEqual(506);
    expect((times[300] ?? 0) - (times[299] ?? 0)).toBeGreaterThanOrEqual(4000);
  });

  test('halves once a storm, however many of it come back, and recovers', () => {
    let pace = createSendRate(BOUNDS, 0);
    for (let count = 0; count < 200; count++) pace = speedUp(pace);
    expect(pace.concurrency).toBe(16);
    for (let count = 0; count < 50; count++) pace = backOff(pace, 1000, { sentAt: 900, throttled: false }, 0.5);
    expect([pace.concurrency, pace.perSecond, pace.backoffs]).toEqual([8, 25, 1]);
    pace = backOff(pace, 2000, { sentAt: 1500, throttled: false }, 0.5);
    expect([pace.concurrency, pace.backoffs]).toEqual([4, 2]);
    for (let count = 0; count < 1000; count++) pace = speedUp(pace);
    expect([pace.concurrency, pace.perSecond, pace.backoffs]).toEqual([16, 50, 0]);
  });

  test('stays below 96 % of the known limit', () => {
    const { rate, concurrency } = RATE_LIMITS.run;
    let [now, pace] = [0, createSendRate({ rate, concurrency }, 0)];
    let sent = 0;
    for (let wait = delayUntilNext(pace, 0, now) ?? 1; now + wait < 10_000; wait = delayUntilNext(pace, 0, now) ?? 1) {
      now += wait;
      pace = takeTokens(pace, now);
      sent += 1;
    }
    expect(sent).toBeLessThanOrEqual(960);
    expect(sent).toBeGreaterThan(900);
  });

  test('waits for the next window after a 429, halves after a second one, and recovers within a window', () => {
    const throttled = (pace: SendRate, now: number) => backOff(pace, now, { sentAt: now, throttled: true }, 0);
    let pace = throttled(createSendRate(BOUNDS, 0), 1000);
    expect([pace.perSecond, pace.blockedUntil]).toEqual([50, 11_000]);
    pace = throttled(speedUp(pace), 12_000);
    expect([pace.perSecond, pace.blockedUntil]).toEqual([25, 22_000]);
    for (let sent = 0; sent < 10 * 50; sent++) pace = speedUp(pace);
    expect(pace.perSecond).toBe(50);
    expect(throttled(pace, 60_000).perSecond).toBe(50);
  });

  test('waits 30 s at most, and goes on with one request, after however many backoffs', () => {
    let rate = createSendRate({ concurrency: 32, rate: 100 }, 0);
    let now = 0;
    for (let count = 0; count < 30; count++) {
      rate = backOff(rate, now, { sentAt: now, throttled: false }, 1);
      expect(rate.blockedUntil - now).toBeLessThanOrEqual(30_000);
      now = rate.blockedUntil + 1;
    }
    expect(rate.blockedUntil - rate.backoffAt).toBe(30_000);
    expect(rate.concurrency).toBe(1);
    expect(delayUntilNext(rate, 0, now + 1000)).toBe(0);
  });

  test('waits at least as long as it is asked to, jittered', () => {
    const waits = [0, 0.5, 0.999].map(
      (random) =>
        backOff(createSendRate(BOUNDS, 0), 0, { sentAt: 0, throttled: true, retryAfterMs: 7000 }, random).blockedUntil,
    );
    expect(Math.min(...waits)).toBe(7000);
    expect(new Set(waits).size).toBe(3);
  });

  test('spreads the rest of a nearly used window and waits for an exhausted one', () => {
    const window = { name: 'minute', quota: 60, windowSeconds: 60, seenAt: 0 };
    const scarce = applyWindows(createSendRate(BOUNDS, 0), [{ ...window, remaining: 6, resetSeconds: 12 }], 0);
    expect(scarce.windowPerSecond).toBe(0.5);
    const empty = applyWindows(createSendRate(BOUNDS, 0), [{ ...window, remaining: 0, resetSeconds: 12 }], 1000);
    expect(delayUntilNext(empty, 0, 1000)).toBe(12_000);
    const tomorrow = applyWindows(createSendRate(BOUNDS, 0), [{ ...window, remaining: 0, resetSeconds: 40_000 }], 1000);
    expect(delayUntilNext(tomorrow, 0, 1000)).toBe(0);
    const plenty = applyWindows(scarce, [{ ...window, remaining: 59, resetSeconds: 12 }], 0);
    expect(plenty.windowPerSecond).toBe(Number.POSITIVE_INFINITY);
  });

  test('keeps few intents ahead at usual rates', () => {
    let pace = createSendRate({ concurrency: 32, rate: 99 }, 0);
    for (let count = 0; count < 5000; count++) pace = speedUp(pace);
    expect(maxIntents(pace)).toBe(32);
  });
});
