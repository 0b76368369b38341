import { describe, expect, test } from 'vitest';
import { createTestClock, type TestClock } from '../support/clocks/test-clock.ts';
import { json, pointedAt, problem, routed, serve, type Behaviour } from '../support/servers/scripted-server.ts';
import { fails, works } from '../support/worlds/expect-run.ts';
import { berth } from '../support/worlds/run-berth.ts';

// Row 35 of docs/faults.md: the wall clock jumps during a request, a retry, a stream, a wait or a watch.

const DAYS_10 = 864_000_000;

const POD = { id: 'p1', name: 'one', status: 'STARTING' };
const ENDPOINT = { id: 'e1', name: 'one', type: 'QUEUE' };
const CLUSTER = { id: 'c1', name: 'one' };
const JOB = { id: 'j1', status: 'IN_PROGRESS' };
const LOST = { id: 'j2', status: 'FAILED' };

/** A service on which every operation is in progress and never ends. */
const endless = (retried: () => boolean): Behaviour =>
  routed({
    'GET /v2/pods/p1': json(POD),
    'POST /v2/pods': json(POD, 201),
    'POST /v2/pods/p1/action': json(POD),
    'POST /v2/serverless': json(ENDPOINT, 201),
    'PATCH /v2/serverless/e1': json(ENDPOINT),
    'GET /v2/serverless/e1': json(ENDPOINT),
    'GET /v2/serverless/e1/releases': json({ rollout: { inProgress: true, percentOnLatest: 10 }, releases: [] }),
    'POST /v2/clusters': json(CLUSTER, 201),
    'GET /v2/clusters/c1': json(CLUSTER),
    'GET /v2/clusters/c1/pods': json({ pods: [POD] }),
    'GET /v2/demo/status/j1': json(JOB),
    'GET /v2/demo/status/j2': (exchange) => {
      json(retried() ? { ...LOST, status: 'IN_QUEUE' } : LOST)(exchange);
    },
    'POST /v2/demo/retry/j2': json({ ...LOST, status: 'IN_QUEUE' }),
    'GET /v2/demo/stream/j1': json([]),
    'POST /v2/demo/run': json(JOB),
    'POST /v2/demo/runsync': json(JOB),
  });

const WAITS: readonly string[] = [
  'pods wait p1',
  'pods start p1 --wait',
  'pods stop p1 --wait',
  'pods restart p1 --wait',
  'pods create --name a --image i --cpu C1 --vcpu 2 --wait',
  'endpoints create --name e --image i --gpu-pool P1 --wait',
  'endpoints update e1 --name f --wait',
  'endpoints releases e1 --wait',
  'clusters create --name c --type TRAINING --gpu G1 --gpu-count 8 --pods 2 --image i --wait',
  'jobs wait demo j1',
  'jobs wait demo j1 j1b --any',
  'jobs run demo --input {} --wait',
  'jobs run demo --input {} --stream',
  'jobs run demo --input {} --sync',
  'jobs retry demo j2 --wait',
  'jobs stream demo j1',
];

describe('a wait has the requested length, whatever the wall clock does', () => {
  test.each(WAITS)('berth %s', async (line) => {
    const clock = createTestClock();
    const start = clock.monotonic();
    let count = 0;
    let retried = false;
    const service = endless(() => retried);
    const server = await serve([
      (exchange) => {
        count += 1;
        // First far ahead, which may not end it, then far back, which may not prolong it.
        if (count === 3) clock.jumpWall(DAYS_10);
        if (count === 4) clock.jumpWall(-2 * DAYS_10);
        retried ||= exchange.arrival.url.includes('/retry/');
        if (exchange.arrival.url.endsWith('/j1b')) json({ ...JOB, id: 'j1b' })(exchange);
        else service(exchange);
      },
    ]);
    const argv = [...line.split(' '), '--wait-timeout', '1m', '--no-input'];
    const { code, err } = await berth(argv, { clock, env: pointedAt(server.url) });
    expect([code, err]).toEqual([9, expect.stringMatching(/ after 1m\b|waited 1m/)]);
    expect(clock.monotonic() - start).toBe(60_000);
    expect(count).toBeGreaterThan(4);
  });
});

describe('a watch', () => {
  test.each([DAYS_10, -DAYS_10])('keeps its interval when the clock jumps by %i ms', async (jump) => {
    const clock = createTestClock();
    let count = 0;
    const server = await serve([
      (exchange) => {
        count += 1;
        if (count === 3) clock.jumpWall(jump);
        json(count < 6 ? POD : { title: 'Gone', status: 404, detail: 'gone' }, count < 6 ? 200 : 404)(exchange);
      },
    ]);
    const argv = ['pods', 'get', 'p1', '--watch', '--interval', '2s', '--no-input'];
    const { code } = await berth(argv, { clock, env: pointedAt(server.url) });
    expect([code, clock.monotonic()]).toEqual([0, 10_000]);
  });
});

/** The wall clock jumps while the service answers. */
const jumping =
  (clock: TestClock, jumpMs: number, behaviour: Behaviour): Behaviour =>
  (exchange) => {
    clock.jumpWall(jumpMs);
    behaviour(exchange);
  };
const limited = problem(429, 'rate limit exceeded', { 'retry-after': '7' });
const pod = json({ id: 'pod1' });

describe.each([DAYS_10, -DAYS_10])('the wall clock jumps by %i ms', (jumpMs) => {
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

  test.each([start - DAYS_10, start, start + DAYS_10])('at %i: the wait that the service meant', async (nowMs) => {
    const clock = createTestClock(nowMs);
    const dated = problem(429, 'rate limit exceeded', { date: at(0), 'retry-after': at(9) });
    await works(['pods', 'get', 'pod1'], [dated, pod], { clock });
    expect(clock.slept).toEqual([9000]);
  });
});
