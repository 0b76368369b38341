import { describe, expect, test } from 'vitest';
import { createTestClock, type TestClock } from '../support/clocks/test-clock.ts';
import { fails, works } from '../support/worlds/expect-run.ts';
import { json, problem, type Behaviour } from '../support/servers/scripted-server.ts';

// Row 35 of docs/faults.md: the wall clock jumps during a request, and no duration changes.

const TEN_DAYS = 10 * 86_400_000;
const JUMPS = [TEN_DAYS, -TEN_DAYS];

/** The wall clock jumps while the service answers. */
const jumping =
  (clock: TestClock, jumpMs: number, behaviour: Behaviour): Behaviour =>
  (exchange) => {
    clock.jumpWall(jumpMs);
    behaviour(exchange);
  };
const limited = problem(429, 'rate limit exceeded', { 'retry-after': '7' });
const pod = json({ id: 'pod1' });

describe.each(JUMPS)('the wall clock jumps by %i ms', (jumpMs) => {
  test('in the middle of a request that is answered 429: it is retried after the wait', async () => {
    const clock = createTestClock();
    await works(['pods', 'get', 'pod1'], [jumping(clock, jumpMs, limited), jumping(clock, jumpMs, limited), pod], {
      clock,
    });
    expect(clock.slept).toEqual([7000, 7000]);
    expect(clock.monotonic()).toBe(14_000);
  });

  test('in the middle of retries after 503: the backoff does not change', async () => {
    const clock = createTestClock();
    await works(['pods', 'get', 'pod1'], [jumping(clock, jumpMs, problem(503, 'busy')), pod], { clock });
    expect(clock.slept).toEqual([250]);
  });

  test('--verbose prints the real duration of a request', async () => {
    const clock = createTestClock();
    const { err } = await works(['--verbose', 'pods', 'get', 'pod1'], [jumping(clock, jumpMs, pod)], { clock });
    expect(err).toMatch(/< 200 in 0/);
  });

  test('jobs stream is followed to its end, and bounded by --wait-timeout', async () => {
    const clock = createTestClock();
    const chunk = json([{ output: 'x' }]);
    const script = [jumping(clock, jumpMs, chunk), json([]), json({ id: 'job1', status: 'COMPLETED' }), json([])];
    const { out } = await works(['jobs', 'stream', 'ep', 'job1', '--wait-timeout', '60s'], script, { clock });
    expect(out).toBe('x\n');
    const flood: Behaviour = (exchange) => {
      clock.advance(1000);
      jumping(clock, jumpMs, chunk)(exchange);
    };
    const argv = ['jobs', 'stream', 'ep', 'job1', '--wait-timeout', '20s'];
    const { servers } = await fails(argv, { exit: 9, says: ['job job1 not COMPLETED after 20s'], out: /x/ }, [flood], {
      clock,
    });
    expect(servers[0].seen).toHaveLength(20);
  });
});

describe('a Retry-After that is a date, with a wrong wall clock', () => {
  const start = Date.UTC(2026, 0, 1);
  const at = (seconds: number): string => new Date(start + seconds * 1000).toUTCString();

  test.each([start - TEN_DAYS, start, start + TEN_DAYS])('at %i: the wait that the service meant', async (nowMs) => {
    const clock = createTestClock(nowMs);
    const dated = problem(429, 'rate limit exceeded', { date: at(0), 'retry-after': at(9) });
    await works(['pods', 'get', 'pod1'], [dated, pod], { clock });
    expect(clock.slept).toEqual([9000]);
  });
});

describe('408 and 425: the request was not processed', () => {
  const submitted = json({ id: 'job1', status: 'IN_QUEUE' });

  test.each([408, 425])('%i to a submission is tried again', async (status) => {
    const { out, server } = await works(['jobs', 'run', 'ep', '--input', '{}'], [problem(status, 'again'), submitted]);
    expect(out).toBe('job1\n');
    expect(server.seen).toHaveLength(2);
  });

  test.each([408, 425])('%i every time: 7, nothing changed', async (status) => {
    const says = [String(status), 'tried 4 times', 'Nothing changed'];
    const { servers } = await fails(['jobs', 'run', 'ep', '--input', '{}'], { exit: 7, says }, [problem(status, 'no')]);
    expect(servers[0].seen).toHaveLength(4);
  });
});
