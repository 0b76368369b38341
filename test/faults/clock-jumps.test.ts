import { describe, expect, test } from 'vitest';
import { berth } from '../support/worlds/run-berth.ts';
import { createTestClock } from '../support/clocks/test-clock.ts';
import { json, pointedAt, routed, serve, type Behaviour } from '../support/servers/scripted-server.ts';

// Row 35 of docs/faults.md: the wall clock jumps in the middle of a wait.

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

/** Runs a wait with a timeout of a minute. The wall clock jumps at the third request. */
async function waited(line: string, jump: number) {
  const clock = createTestClock();
  const start = clock.monotonic();
  let count = 0;
  let retried = false;
  const service = endless(() => retried);
  const server = await serve([
    (exchange) => {
      count += 1;
      if (count === 3) clock.jumpWall(jump);
      retried ||= exchange.arrival.url.includes('/retry/');
      if (exchange.arrival.url.endsWith('/j1b')) json({ ...JOB, id: 'j1b' })(exchange);
      else service(exchange);
    },
  ]);
  const argv = [...line.split(' '), '--wait-timeout', '1m', '--no-input'];
  const { code, err } = await berth(argv, { clock, env: pointedAt(server.url) });
  return { code, err: err.replaceAll(server.url, 'URL'), span: clock.monotonic() - start, count };
}

describe('a wait has the requested length, whatever the wall clock does', () => {
  test.each(WAITS)('berth %s', async (line) => {
    const still = await waited(line, 0);
    expect([still.code, still.err]).toEqual([9, expect.stringMatching(/ after 1m\b|waited 1m/)]);
    expect(still.span).toBe(60_000);
    expect(await waited(line, DAYS_10)).toEqual(still);
    expect(await waited(line, -DAYS_10)).toEqual(still);
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
