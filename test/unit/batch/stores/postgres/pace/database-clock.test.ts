import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDatabaseClock } from '../../../../../../src/batch/stores/postgres/pace/shared-pace.ts';

describe('what a driver knows of the clock of the database', () => {
  test.each([
    { said: 'one answer', observations: [[100, 5000, 110]], bounds: [100, 110] },
    {
      said: 'a faster answer',
      observations: [
        [100, 5000, 200],
        [300, 5150, 301],
      ],
      bounds: [150, 151],
    },
    {
      said: 'a slower answer',
      observations: [
        [100, 5000, 101],
        [200, 5500, 1100],
      ],
      bounds: [99.001, 102.0],
    },
    {
      said: 'a clock that was set forward',
      observations: [
        [100, 5000, 101],
        [200, 9000, 201],
      ],
      bounds: [-3800, -3799],
    },
    {
      said: 'a clock that was set back',
      observations: [
        [100, 5000, 101],
        [200, 4000, 201],
      ],
      bounds: [1200, 1201],
    },
  ] as const)('after $said', ({ observations, bounds }) => {
    const clock = createDatabaseClock();
    for (const [sentAt, databaseTime, answeredAt] of observations) clock.observe(sentAt, databaseTime, answeredAt);
    expect(clock.notAfter(5000)).toBeCloseTo(bounds[0], 2);
    expect(clock.notBefore(5000)).toBeCloseTo(bounds[1], 2);
  });

  test('contains the right time at any delays, also when one clock is slower', () => {
    const exchange = fc.record({ pause: fc.nat(60_000), there: fc.nat(400), back: fc.nat(400) });
    fc.assert(
      fc.property(
        fc.array(exchange, { minLength: 1, maxLength: 20 }),
        fc.double({ min: -0.0005, max: 0.0005, noNaN: true }),
        fc.nat(1_000_000),
        (exchanges, drift, offset) => {
          const clock = createDatabaseClock();
          const databaseTime = (time: number): number => offset + time * (1 + drift);
          let time = 0;
          for (const { pause, there, back } of exchanges) {
            const sentAt = time + pause;
            time = sentAt + there + back;
            clock.observe(sentAt, databaseTime(sentAt + there), time);
            // During one exchange the clocks diverge by less than half a millisecond.
            expect(clock.notAfter(databaseTime(time))).toBeLessThanOrEqual(time + 0.5);
            expect(clock.notBefore(databaseTime(time))).toBeGreaterThanOrEqual(time - 0.5);
          }
        },
      ),
    );
  });
});
