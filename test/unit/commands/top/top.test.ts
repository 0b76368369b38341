import { describe, expect, test } from 'vitest';
import { json, pointedAt, problem, routed, serve, type Behaviour } from '../../../support/servers/scripted-server.ts';
import { Terminal } from '../../../support/output/terminal-emulator.ts';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, KEYS, type TestWorld } from '../../../support/worlds/test-world.ts';

const ALTERNATE = '\u001b[?1049h';
const BACK = '\u001b[?1049l';

const PODS = json({
  pods: [
    { id: 'p1', name: 'train', status: 'RUNNING', cost: 2.5, runtime: { gpus: [{ util: 40, memoryUtil: 20 }] } },
    { id: 'p2', name: 'evil \u001b[31m', status: 'EXITED', cost: 0, runtime: null },
  ],
});

const ROUTES: Readonly<Record<string, Behaviour>> = {
  'GET /v2/pods': PODS,
  'GET /v2/serverless': json({
    endpoints: [{ id: 'e1', name: 'captions', type: 'QUEUE', gpu: { pools: ['POOL-80G'] } }],
  }),
  'GET /v2/e1/health': json({ jobs: { inQueue: 3, inProgress: 1, completed: 9, failed: 0 }, workers: { running: 1 } }),
  'GET /v2/serverless/e1/workers': json({ workers: [{ id: 'w1', gpuTypeId: 'GPU-80G', gpuCount: 1 }] }),
  'GET /v2/catalog/gpus': json({ gpus: [{ id: 'GPU-80G', pool: 'POOL-80G', price: { serverless: 4.18 } }] }),
  'GET /v2/network-volumes': json({ networkVolumes: [] }),
  'GET /v2/billing': json({ records: [{ totalAmount: 14 }] }),
  'GET /v2/billing/clusters': json({ records: [{ clusterId: 'c1', totalAmount: 0.75 }] }),
  'GET /v2/billing/pods': json({ records: [{ podId: 'p1', totalAmount: 12.5 }] }),
  'GET /v2/billing/serverless': json({ records: [{ serverlessId: 'e1', totalAmount: 0.5 }] }),
};

const serviceOf = (more: Readonly<Record<string, Behaviour>> = {}) => serve([routed({ ...ROUTES, ...more })]);

describe('top --once', () => {
  test('prints one frame; the workers of endpoints are in the cost of an hour', async () => {
    const server = await serviceOf();
    const { code, out, err } = await berth(['top', '--once'], { env: pointedAt(server.url) });
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^\$6\.68\/h {2}\$14\.00 today {2}3 waiting, 1 running/);
    expect(out).toMatch(/train .*RUNNING .*40%.*20%.*\$2\.50 .*\$12\.50/);
    expect(out).toMatch(/captions .*3 .*1 .*1 running/);
    expect(out).toContain('evil \\x1b[31m');
    expect(out).not.toContain('\u001b');
    expect(server.seen.map(({ url }) => url.replace(/T[\d:]+Z/, '')).sort()).toEqual([
      '/v2/billing/pods?startTime=2026-01-01T00%3A00%3A00Z&bucketSize=day',
      '/v2/billing/serverless?startTime=2026-01-01T00%3A00%3A00Z&bucketSize=day',
      '/v2/billing?startTime=2026-01-01T00%3A00%3A00Z&bucketSize=day',
      '/v2/catalog/gpus',
      '/v2/e1/health',
      '/v2/network-volumes',
      '/v2/pods?includeClusterPods=true',
      '/v2/registries/delegations',
      '/v2/serverless',
      '/v2/serverless/e1/workers',
    ]);
  });

  test('in a pipe the second line is what the cost of an hour leaves out, all of it', async () => {
    const pods = json({ pods: [{ id: 'p1', name: 'train', status: 'RUNNING' }] });
    const volumes = json({ networkVolumes: [{ id: 'v1', size: 100, type: 'HIGH_PERFORMANCE' }] });
    const server = await serviceOf({
      'GET /v2/pods': pods,
      'GET /v2/network-volumes': volumes,
      'GET /v2/serverless/e1/workers': problem(403, 'access denied'),
    });
    const { out } = await berth(['top', '--once'], { env: pointedAt(server.url) });
    expect(out.split('\n').slice(1, 4)).toEqual([
      'at least: pods: 1 without a price, workers: 1 without a price, volumes: a surcharge for high-performance storage',
      expect.stringMatching(/^20.*Z$/),
      '',
    ]);
  });

  test('-o jsonl prints a line for each row with the time', async () => {
    const server = await serviceOf();
    const { out } = await berth(['top', '--once', '-o', 'jsonl'], { env: pointedAt(server.url) });
    const rows = out.trimEnd().split('\n');
    const at = expect.stringMatching(/^20\d\d-.*Z$/) as string;
    expect(rows.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { at, kind: 'pod', id: 'p1', gpuUtil: 40, costPerHour: 2.5, costToday: 12.5, readSecondsAgo: 0 },
      { at, kind: 'pod', id: 'p2', gpuUtil: null, costToday: 0 },
      { at, kind: 'endpoint', id: 'e1', inQueue: 3, workers: { running: 1 }, completedPerMinute: null },
    ]);
  });

  test.each<readonly [string, readonly string[]]>([
    ['', ['p3', 'p1', 'p2', 'e1']],
    ['--sort cost', ['p3', 'p1', 'p2', 'e1']],
    ['--sort name', ['p1', 'p2', 'p3', 'e1']],
    ['--sort use', ['p1', 'p3', 'p2', 'e1']],
  ])('top %s has the rows in that order, stopped pods last by cost', async (flags, ids) => {
    const pods = json({
      pods: [
        { id: 'p2', name: 'b', status: 'EXITED', cost: 0, runtime: null },
        { id: 'p1', name: 'a', status: 'RUNNING', cost: 2.5, runtime: { gpus: [{ util: 90, memoryUtil: 20 }] } },
        { id: 'p3', name: 'c', status: 'RUNNING', cost: 9, runtime: { gpus: [{ util: 1, memoryUtil: 1 }] } },
      ],
    });
    const spent = json({ records: [{ podId: 'p2', totalAmount: 99 }] });
    const server = await serviceOf({ 'GET /v2/pods': pods, 'GET /v2/billing/pods': spent });
    const argv = ['top', '--once', ...flags.split(' ').filter((word) => word !== '')];
    const env = pointedAt(server.url);
    const { out } = await berth([...argv, '-o', 'jsonl'], { env });
    expect(out.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { id: string }).id]))).toEqual(
      ids,
    );
  });

  test('shows what it could read where the key may not read the costs', async () => {
    const no = problem(403, 'access denied');
    const server = await serviceOf({ 'GET /v2/billing/pods': no, 'GET /v2/billing/serverless': no });
    const { code, out } = await berth(['top', '--once'], { env: pointedAt(server.url) });
    expect(code).toBe(0);
    expect(out).toMatch(/^\$6\.68\/h {2}3 waiting/);
  });
});

test('top without a terminal is refused before any request (2)', async () => {
  const server = await serviceOf();
  const { code, err } = await berth(['top'], { env: pointedAt(server.url) });
  expect(code).toBe(2);
  expect(err).toContain('--once');
  expect(server.seen).toEqual([]);
});

test('top -o jsonl prints the rows of every reading, and paces itself by the rate windows', async () => {
  let count = 0;
  const world: TestWorld = createTestWorld();
  const pods: Behaviour = (exchange) => {
    count += 1;
    if (count === 4) world.signal('SIGINT');
    json({ pods: [{ id: 'p1' }] }, 200, {
      RateLimit: '"minute";r=40;t=30',
      'RateLimit-Policy': '"minute";q=1000;w=60',
    })(exchange);
  };
  const server = await serviceOf({ 'GET /v2/pods': pods });
  Object.assign(world.env, pointedAt(server.url));
  const { code, out, err } = await berthIn(world, ['top', 'pods', '-o', 'jsonl', '--interval', '1s']);
  expect([code, err]).toEqual([130, '']);
  expect(out.trimEnd().split('\n')).toHaveLength(3);
  // Half of the 40 requests that are left have to last for 30 seconds.
  expect(world.clock.slept.filter((ms) => ms > 0)).toEqual([1500, 1500, 1500]);
});

describe('top on a terminal', () => {
  const shows = (world: TestWorld, text: string): Promise<void> =>
    expect.poll(() => screenOf(world), { interval: 5 }).toContain(text);
  const screenOf = (world: TestWorld): string => new Terminal(100, 20).write(world.out()).text();

  async function started(more: Readonly<Record<string, Behaviour>> = {}) {
    const server = await serviceOf(more);
    const world = createTestWorld({ tty: true, env: pointedAt(server.url), columns: 100, rows: 20 });
    const running = berthIn(world, ['top']);
    await shows(world, 'captions');
    return { world, running, server };
  }

  test('takes the second screen, and gives the terminal back on q', async () => {
    const { world, running } = await started();
    expect(world.out()).toContain(ALTERNATE);
    await world.type('q');
    const { code, out, err } = await running;
    expect([code, err]).toEqual([0, '']);
    expect(out.lastIndexOf(BACK)).toBeGreaterThan(out.lastIndexOf(ALTERNATE));
    expect(new Terminal(100, 20).write(out).cursor).toBe(true);
    expect([world.suspendHooks.size, world.stdout.listenerCount('resize')]).toEqual([0, 0]);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('gives it back on %s, and ends %i without a message', async (signal, exit) => {
    const { world, running } = await started();
    world.signal(signal);
    const { code, out, err } = await running;
    expect([code, err]).toEqual([exit, '']);
    expect(out.lastIndexOf(BACK)).toBeGreaterThan(out.lastIndexOf(ALTERNATE));
  });

  test('gives it back before an error that ends it', async () => {
    const server = await serve([problem(401, 'invalid token')]);
    const world = createTestWorld({ tty: true, env: pointedAt(server.url) });
    const { code, out, err } = await berthIn(world, ['top']);
    expect(code).toBe(3);
    expect(err).toContain('error: ');
    expect(out.lastIndexOf(BACK)).toBeGreaterThan(out.lastIndexOf(ALTERNATE));
  });

  test('gives it back for Ctrl-Z, and takes it again', async () => {
    const { world, running } = await started();
    await world.type('\u001a');
    expect(world.raised).toEqual(['SIGTSTP']);
    expect(world.out().lastIndexOf(BACK)).toBeGreaterThan(world.out().lastIndexOf(ALTERNATE));
    for (const { resume } of world.suspendHooks) resume();
    expect(world.out().lastIndexOf(ALTERNATE)).toBeGreaterThan(world.out().lastIndexOf(BACK));
    await world.type('q');
    expect((await running).code).toBe(0);
  });

  test('moves, sorts and is drawn for a new size', async () => {
    const { world, running } = await started();
    await shows(world, '> train');
    await world.type('G', 's');
    await shows(world, '> captions');
    await shows(world, 'by use');
    world.resize(70, 12);
    const lastFrame = () => world.out().slice(world.out().lastIndexOf('\u001b[H')).split('\n');
    await expect.poll(() => lastFrame().length).toBe(12);
    await world.type(KEYS.ctrlC);
    expect((await running).code).toBe(130);
  });

  test('goes on after a failed reading, and says what failed and how old the rest is', async () => {
    let count = 0;
    const flaky: Behaviour = (exchange) => {
      count += 1;
      (count > 1 ? problem(503, 'out of order') : PODS)(exchange);
    };
    const server = await serviceOf({ 'GET /v2/pods': flaky });
    const env = { ...pointedAt(server.url), BERTH_RETRIES: '0' };
    const world = createTestWorld({ tty: true, env, columns: 100, rows: 20 });
    const running = berthIn(world, ['top']);
    await shows(world, 'pods: the service answered 503');
    expect(screenOf(world)).toContain('train');
    await world.type('q');
    expect((await running).code).toBe(0);
  });
});
