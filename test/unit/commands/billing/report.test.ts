import { expect, onTestFinished, test } from 'vitest';
import { serveLocal } from '../../../../src/local/http/server.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { localFixture } from '../../../support/local/service-fixture.ts';
import { json, pointedAt, problem, routed, serve } from '../../../support/servers/scripted-server.ts';
import { berth, berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorldOptions } from '../../../support/worlds/test-world.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const DAY_MS = 86_400_000;
const dayText = (at: number): string => new Date(at).toISOString().replace('.000', '');

/** Records of ten days up to now, each with the amounts of one resource. */
const records = (id: Readonly<Record<string, string>>, amounts: Readonly<Record<string, string>>): string =>
  Array.from({ length: 10 }, (_, at) => {
    const start = Date.UTC(2026, 0, 6 + at);
    const members = Object.entries({ startTime: dayText(start), endTime: dayText(start + DAY_MS), ...id })
      .map(([name, text]) => `"${name}":"${text}"`)
      .concat(Object.entries(amounts).map(([name, digits]) => `"${name}":${digits}`));
    return `{${members.join(',')}}`;
  }).join(',');

const document = (...parts: readonly string[]) => json(`{"records":[${parts.join(',')}],"metadata":{}}`);
const costOf = (id: Readonly<Record<string, string>>, parts: Readonly<Record<string, string>>, total: string): string =>
  records(id, { totalAmount: total, ...parts });

const BILLING = {
  'GET /v2/billing': document(
    records(
      {},
      {
        totalAmount: '60.300003',
        podGpuAmount: '40.1',
        podDiskAmount: '0.2',
        serverlessGpuAmount: '10',
        storageStandardAmount: '9.000003',
        clusterGpuAmount: '1',
      },
    ),
  ),
  'GET /v2/billing/pods': document(
    costOf({ podId: 'pod-train' }, { gpuAmount: '30', cpuAmount: '0', diskAmount: '0.1' }, '30.1'),
    costOf({ podId: 'pod-broken' }, { gpuAmount: '10.1', cpuAmount: '0', diskAmount: '0.1' }, '10.2'),
  ),
  'GET /v2/billing/serverless': document(
    costOf({ serverlessId: 'ep-chat' }, { gpuAmount: '9', cpuAmount: '0', diskAmount: '0', feeAmount: '1' }, '10'),
  ),
  'GET /v2/billing/network-volumes': document(
    costOf({ networkVolumeId: 'vol-data' }, { standardAmount: '8', highPerformanceAmount: '0' }, '8'),
    costOf({ networkVolumeId: 'vol-old' }, { standardAmount: '1.000003', highPerformanceAmount: '0' }, '1.000003'),
  ),
  'GET /v2/billing/clusters': document(
    costOf({ clusterId: 'cl-gone' }, { gpuAmount: '0.9', diskAmount: '0', networkingAmount: '0.1' }, '1'),
  ),
  'GET /v2/billing/endpoints': document(),
};
const worker = (id: string, status = 'IDLE') => ({ id, status, gpuTypeId: 'GPU-80G', gpuCount: 1 });
const FLEET = {
  'GET /v2/pods': json({
    pods: [
      { id: 'pod-train', name: 'train', status: 'RUNNING', cost: 1.5, mounts: { network: [{ volumeId: 'vol-data' }] } },
      { id: 'pod-broken', name: 'broken', status: 'ERROR', cost: 0.5 },
      { id: 'pod-member', name: 'rank-0', status: 'RUNNING', cost: 4, cluster: { id: 'cl-train', rank: 0 } },
    ],
  }),
  'GET /v2/serverless': json({
    endpoints: [{ id: 'ep-chat', name: 'chat', networkVolumes: [], gpu: { pools: ['POOL-80G'] } }],
  }),
  'GET /v2/network-volumes': json({
    networkVolumes: [
      { id: 'vol-data', name: 'data', size: 730 },
      { id: 'vol-old', name: 'old' },
    ],
  }),
  'GET /v2/clusters': json({ clusters: [] }),
  'GET /v2/serverless/ep-chat/workers': json({ workers: [worker('w1'), worker('w2')] }),
  'GET /v2/catalog/gpus': json({ gpus: [{ id: 'GPU-80G', pool: 'POOL-80G', price: { serverless: 4.18 } }] }),
};
async function report(
  argv: readonly string[] = [],
  routes: Parameters<typeof routed>[0] = { ...BILLING, ...FLEET },
  options: TestWorldOptions = {},
): Promise<Ran> {
  const server = await serve([routed(routes)]);
  const last = argv.includes('--last') ? [] : ['--last', '10d'];
  return berth(['billing', 'report', ...last, ...argv], {
    ...options,
    clock: createTestClock(NOW),
    env: { ...pointedAt(server.url), NO_COLOR: '1' },
  });
}

test.each([
  [80, 'all', []],
  [80, 'day', ['--by', 'day']],
])('on a terminal of %d columns, of %s', async (columns, name, flags) => {
  const ran = await report(flags, undefined, { tty: true, columns });
  expect(ran.code).toBe(0);
  for (const line of `${ran.out}${ran.err}`.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
  await expect(ran.out + ran.err).toMatchFileSnapshot(`../../../golden/billing/report-${name}-${String(columns)}.txt`);
});

test('as JSON it has exact amounts whose parts make their total, and what is idle', async () => {
  const ran = await report(['--json']);
  expect([ran.code, ran.err]).toEqual([0, '']);
  await expect(ran.out).toMatchFileSnapshot('../../../golden/billing/report.json');
  // Ten times 1.000003, which no sum of doubles gives.
  expect(ran.out).toContain('"totalUsd": 10.00003,');
  expect(ran.out).toContain('"totalUsd": 603.00003,');
});

test.each([
  ['IDLE', ['pod broken (pod-broken) is in ERROR', 'endpoint chat (ep-chat) has 2 idle workers', 'volume old']],
  ['RUNNING', ['pod broken', 'volume old (vol-old) is not mounted']],
])('names what is idle with a worker that is %s', async (status, named) => {
  const workers = json({ workers: [worker('w1'), worker('w2', status)] });
  const { err } = await report([], { ...BILLING, ...FLEET, 'GET /v2/serverless/ep-chat/workers': workers });
  const idle = err.split('\n').filter((line) => line.startsWith('Idle: '));
  expect(idle).toEqual(named.map((words) => expect.stringContaining(words) as unknown));
});

test('counts of a stopped pod its disk only', async () => {
  const stopped = { id: 'pod-train', status: 'EXITED', mounts: { persistent: { size: 50 } } };
  const pods = json({ pods: [stopped, { id: 'pod-broken', status: 'ERROR' }] });
  const { err } = await report([], { ...BILLING, ...FLEET, 'GET /v2/pods': pods });
  expect(err).toContain('is stopped, with a disk of 50 GB: $1.00');
  expect(err).toContain('is in ERROR: $102.00');
});

test('without the lists it has the costs, says what the rate lacks, and calls no volume idle', async () => {
  const server = await serve([routed(BILLING, problem(403, 'not with this key'))]);
  const flags = ['billing', 'report', '--last', '10d'];
  const ran = await berth(flags, { clock: createTestClock(NOW), env: pointedAt(server.url) });
  expect(ran.code).toBe(0);
  expect(ran.out).toContain('pod-train\tpod\t$301.00');
  expect(ran.err).toContain('at least $0.00/h (pods not read, ');
  expect(ran.err).not.toContain('Idle: ');
});

test.each([
  ['603', 15],
  ['603.00003', 0],
  ['603.00002', 15],
  ['700', 0],
])('with a budget of %s ends %d', async (budget, code) => {
  const ran = await report(['--budget', budget]);
  expect(ran.code).toBe(code);
  expect(ran.out).toContain('pod-train');
  if (code === 15) expect(ran.err).toMatch(/is above the budget of \$603\.00 by .*\n$/);
});

test.each<[string, readonly string[], string]>([
  ['of a budget is the calendar month', ['--budget', '1'], '2026-01-01T00:00:00Z'],
  ['can be the calendar month without a budget', ['--last', 'month'], '2026-01-01T00:00:00Z'],
  ['of a budget can be another one', ['--budget', '1', '--last', '7d'], '2026-01-09T00:00:00Z'],
  ['is 30 days', [], '2025-12-17T00:00:00Z'],
])('the time %s', async (_, flags, from) => {
  const server = await serve([routed({ ...BILLING, ...FLEET })]);
  const options = { clock: createTestClock(NOW), env: pointedAt(server.url) };
  const ran = await berth(['billing', 'report', ...flags, '-o', 'table'], options);
  expect(ran.err).toContain(`from ${from.slice(0, 10)} to 2026-01-15`);
  const asked = server.seen.filter(({ url }) => url.startsWith('/v2/billing/pods'));
  expect(asked.map(({ url }) => new URL(url, server.url).searchParams.get('startTime'))).toEqual([from]);
});

test('the time can begin now, at the first instant of a day and a month', async () => {
  const world = createTestWorld({ clock: createTestClock(Date.UTC(2026, 0, 1)) });
  const ran = await berthIn(world, ['--local', 'billing', 'report', '--budget', '2000', '-o', 'table']);
  expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('from 2026-01-01 to 2026-01-01 (UTC)')]);
});

test.each([[['--budget', 'much']], [['--budget', '-5']], [['--last', '12h']], [['--by', 'region']]])(
  '%j is refused',
  async (flags) => {
    const ran = await report(flags);
    expect([ran.code, ran.out]).toEqual([2, '']);
  },
);

test('a report and its budget count until the time of a service whose clock was advanced', async () => {
  const server = await serveLocal(localFixture().service, { port: 0, host: '127.0.0.1' });
  onTestFinished(() => server.stop());
  const addresses = { BERTH_BASE_URL: server.url, BERTH_QUEUE_URL: server.url, BERTH_REST_URL: server.url };
  const env = { ...addresses, BERTH_API_KEY: 'berth-local-full-access' };
  await berth(['local', 'clock', 'advance', '60h'], { env });
  const { out } = await berth(['local', 'clock', 'show', '--json'], { env });
  const today = /\d{4}-\d\d-\d\d/.exec(out)?.[0] ?? out;
  const ran = await berth(['billing', 'report', '--last', '1d', '--budget', '1', '--json'], { env });
  expect([ran.code, (JSON.parse(ran.out) as { readonly from: string }).from.slice(0, 10)]).toEqual([15, today]);
});
