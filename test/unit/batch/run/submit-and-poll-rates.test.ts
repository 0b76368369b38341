import { expect, test } from 'vitest';
import { createRequestRates } from '../../../../src/batch/run/adaptive-rate.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';

test('a long wait of one kind of request delays the other kind by seconds only: results expire', () => {
  const clock = createTestClock();
  for (const [kind, other] of [
    ['submit', 'poll'],
    ['poll', 'submit'],
  ] as const) {
    const rates = createRequestRates({ concurrency: 8, rate: 10 }, clock, () => 0.5);
    rates.backOff(kind, { sentAt: clock.monotonic(), throttled: true, retryAfterMs: 600_000 });
    expect(rates[kind].blockedUntil - clock.monotonic()).toBeGreaterThanOrEqual(600_000);
    expect(rates[other].blockedUntil - clock.monotonic()).toBeLessThanOrEqual(11_000);
  }
});
