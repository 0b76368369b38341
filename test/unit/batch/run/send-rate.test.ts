import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  budgeted,
  createPace,
  eased,
  intentsAhead,
  sent,
  struck,
  waitOf,
  type Pace,
} from '../../../../src/batch/run/send-rate.ts';

const BOUNDS = { concurrency: 16, rate: 50 };

type Step = (pace: Pace, now: number) => Pace;
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>((pace) => eased(pace)),
  fc.constant<Step>((pace, now) => (waitOf(pace, 0, now) === 0 ? sent(pace, now) : pace)),
  fc
    .record({
      ago: fc.nat(5000),
      asked: fc.option(fc.nat(60_000), { nil: undefined }),
      random: fc.double({ min: 0, max: 0.999, noNaN: true }),
    })
    .map(
      ({ ago, asked, random }): Step =>
        (pace, now) =>
          struck(pace, now - ago, now, asked, random),
    ),
);

describe('a pace', () => {
  test('never exceeds its bounds, and never comes to a stop', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.nat(2000)), { maxLength: 200 }), (steps) => {
        let now = 1_000_000;
        let pace = createPace(BOUNDS, now);
        for (const [change, passes] of steps) {
          pace = change(pace, now);
          expect(pace.atOnce).toBeLessThanOrEqual(BOUNDS.concurrency);
          expect(pace.atOnce).toBeGreaterThanOrEqual(1);
          expect(pace.perSecond).toBeLessThanOrEqual(BOUNDS.rate);
          expect(pace.perSecond).toBeGreaterThanOrEqual(1);
          expect(waitOf(pace, BOUNDS.concurrency, now)).toBeUndefined();
          const wait = waitOf(pace, 0, now);
          expect(wait).toBeDefined();
          expect(waitOf(pace, 0, now + (wait ?? 0))).toBe(0);
          now += passes;
        }
      }),
    );
  });

  test('allows no more than its rate in any ten seconds, and nothing while it is paused', () => {
    let now = 0;
    let pace = createPace(BOUNDS, now);
    const times: number[] = [];
    while (now < 30_000) {
      const wait = waitOf(pace, 0, now) ?? 1;
      if (wait > 0) {
        now += wait;
        continue;
      }
      pace = sent(pace, now);
      times.push(now);
      if (times.length === 300) pace = struck(pace, now, now, 4000, 0);
    }
    for (const from of times)
      expect(times.filter((at) => at >= from && at < from + 10_000).length).toBeLessThanOrEqual(506);
    expect((times[300] ?? 0) - (times[299] ?? 0)).toBeGreaterThanOrEqual(4000);
  });

  test('halves once per burst of refusals, whatever its size, and recovers', () => {
    let pace = createPace(BOUNDS, 0);
    for (let count = 0; count < 200; count++) pace = eased(pace);
    expect(pace.atOnce).toBe(16);
    for (let count = 0; count < 50; count++) pace = struck(pace, 900, 1000, undefined, 0.5);
    expect([pace.atOnce, pace.perSecond, pace.storms]).toEqual([8, 25, 1]);
    pace = struck(pace, 1500, 2000, undefined, 0.5);
    expect([pace.atOnce, pace.storms]).toEqual([4, 2]);
    for (let count = 0; count < 1000; count++) pace = eased(pace);
    expect([pace.atOnce, pace.perSecond, pace.storms]).toEqual([16, 50, 0]);
  });

  test('waits at least as long as requested, with jitter', () => {
    const waits = [0, 0.5, 0.999].map((random) => struck(createPace(BOUNDS, 0), 0, 0, 7000, random).closedUntil);
    expect(Math.min(...waits)).toBe(7000);
    expect(new Set(waits).size).toBe(3);
  });

  test('spreads the rest of a nearly used window and waits for an exhausted one', () => {
    const window = { name: 'minute', quota: 60, windowSeconds: 60, seenAt: 0 };
    const scarce = budgeted(createPace(BOUNDS, 0), [{ ...window, remaining: 6, resetSeconds: 12 }], 0);
    expect(scarce.budget).toBe(0.5);
    const empty = budgeted(createPace(BOUNDS, 0), [{ ...window, remaining: 0, resetSeconds: 12 }], 1000);
    expect(waitOf(empty, 0, 1000)).toBe(12_000);
    const tomorrow = budgeted(createPace(BOUNDS, 0), [{ ...window, remaining: 0, resetSeconds: 40_000 }], 1000);
    expect(waitOf(tomorrow, 0, 1000)).toBe(0);
    const plenty = budgeted(scarce, [{ ...window, remaining: 59, resetSeconds: 12 }], 0);
    expect(plenty.budget).toBe(Number.POSITIVE_INFINITY);
  });

  test('writes few intents ahead at usual rates', () => {
    let pace = createPace({ concurrency: 32, rate: 99 }, 0);
    for (let count = 0; count < 5000; count++) pace = eased(pace);
    expect(intentsAhead(pace)).toBe(32);
  });
});
