import { expect, test } from 'vitest';
import { RATE_LIMITS } from '../../../../src/queue/limits.ts';
import { createScriptedService, accepted, type ScriptedRequest } from '../../../support/batch/scripted-service.ts';

/** The service takes 1000 submissions in this time. */
const WINDOW_MS = 10_000;

/** A number from 0 to 1 that depends on the item alone. */
const spread = (n: number): number => ((n * 2_654_435_761) % 4_294_967_296) / 4_294_967_296;

const uniform = (n: number): number => 500 + 2500 * spread(n);

/** Runs a batch whose jobs start at once and run for a time of their own. Returns what it cost. */
async function measure(count: number, durationMs: (n: number) => number, rate: number) {
  const sentAt = new Map<number, number>();
  const fixture = await createScriptedService(count, (asked) => {
    if (asked.operation === 'run') sentAt.set(asked.n, asked.at);
    return asked.operation === 'run' ? accepted(asked) : statusOf(asked, sentAt.get(asked.n) ?? 0, durationMs(asked.n));
  });
  const end = await fixture.run(fixture.batch, { rate, concurrency: 200, inFlight: 10_000 });
  const times = [...sentAt.values()];
  const polls = fixture.asked.filter(({ operation }) => operation === 'status').length;
  return {
    completed: end.counts.completed,
    perSecond: (count - 1) / ((Math.max(...times) - Math.min(...times)) / 1000),
    pollsEach: polls / count,
    busiest: Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + WINDOW_MS).length)),
    /** From the end of the last submission to the end of the batch. */
    drainMs: fixture.clock.now() - Math.max(...times),
  };
}

function statusOf({ job, at }: ScriptedRequest, sentAt: number, durationMs: number) {
  const executionTime = Math.min(durationMs, at - sentAt);
  return { id: job, status: at - sentAt >= durationMs ? 'COMPLETED' : 'IN_PROGRESS', delayTime: 0, executionTime };
}

test.each<readonly [string, (n: number) => number, number]>([
  ['of 0.5 to 3 s, at the known limits', uniform, RATE_LIMITS.run.rate],
  ['of 0.5 to 3 s, without limits', uniform, 400],
  ['of 0.2 s, and one in fifty of 20 s', (n) => (n % 50 === 0 ? 20_000 : 200), RATE_LIMITS.run.rate],
])('jobs %s are sent as fast as allowed and polled 1.6 times each at most', async (_, durationMs, rate) => {
  const count = Math.max(1300, 6 * rate);
  const { completed, perSecond, pollsEach, drainMs, busiest } = await measure(count, durationMs, rate);
  expect(completed).toBe(count);
  expect(perSecond).toBeGreaterThanOrEqual(0.95 * rate);
  expect(pollsEach).toBeLessThanOrEqual(1.6);
  if (rate === RATE_LIMITS.run.rate) expect(busiest).toBeLessThanOrEqual(960);
  expect(drainMs).toBeLessThan(1.3 * Math.max(durationMs(50), 3000) + 1000);
});
