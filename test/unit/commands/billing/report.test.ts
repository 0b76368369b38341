import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amountAt, type DayCost, NOTHING, parseMoney } from '../../../../src/commands/billing/costs.ts';
import { forecast } from '../../../../src/commands/billing/forecast.ts';
import { decodeJson } from '../../../../src/core/json.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
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
const worker = (id: string) => ({ id, status: 'IDLE', gpuTypeId: 'GPU-80G', gpuCount: 1 });
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
const health = (idle: number, running: number, inQueue: number) => ({
  'GET /v2/ep-chat/health': json({ jobs: { inQueue, inProgress: 0 }, workers: { idle, running } }),
});

async function report(
  argv: readonly string[] = [],
  routes: Parameters<typeof routed>[0] = { ...BILLING, ...FLEET, ...health(2, 0, 0) },
  options: TestWorldOptions = {},
): Promise<Ran> {
  const server = await serve([routed(routes)]);
  const env = { ...pointedAt(server.url), BERTH_QUEUE_URL: server.url, NO_COLOR: '1' };
  const last = argv.includes('--last') ? [] : ['--last', '10d'];
  return berth(['billing', 'report', ...last, ...argv], { ...options, clock: createTestClock(NOW), env });
}

const documentOf = ({ out }: Ran) =>
  JSON.parse(out) as {
    readonly totalUsd: number;
    readonly elsewhereUsd: number;
    readonly rows: readonly Record<string, unknown>[];
    readonly idle: readonly unknown[];
    readonly unread: readonly string[];
  };

describe('the cost report', () => {
  test.each([80, 120].flatMap((columns) => [['all'], ['pod'], ['day']].map(([by = '']) => ({ columns, by }))))(
    'of $by on a terminal of $columns columns',
    async ({ columns, by }) => {
      const ran = await report(by === 'all' ? [] : ['--by', by], undefined, { tty: true, columns });
      expect(ran.code).toBe(0);
      for (const line of `${ran.out}${ran.err}`.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
      await expect(ran.out + ran.err).toMatchFileSnapshot(
        `../../../golden/billing/report-${by}-${String(columns)}.txt`,
      );
    },
  );

  test('as JSON has exact amounts whose parts make their total, and what is idle', async () => {
    const ran = await report(['--json']);
    expect([ran.code, ran.err]).toEqual([0, '']);
    await expect(ran.out).toMatchFileSnapshot('../../../golden/billing/report.json');
    // Ten times 1.000003, which no sum of doubles gives.
    expect(ran.out).toContain('"totalUsd": 10.00003,');
    expect(ran.out).toContain('"totalUsd": 603.00003,');
  });

  test('of one kind tells what is not in the table', async () => {
    const ran = await report(['--by', 'volume']);
    expect(ran.out.split('\n')[1]).toBe('data\tvol-data\t$80.00\t$0.00\t$0.00\t$80.00\t$0.00');
    expect(ran.err).toContain('$513.00 of it is not in this table: berth billing report --last 10d');
    expect(documentOf(await report(['--by', 'endpoint', '--json'])).elsewhereUsd).toBe(503.00003);
  });

  test.each([
    [
      health(2, 0, 0),
      [
        'pod broken (pod-broken) is in ERROR',
        'endpoint chat (ep-chat) has 2 idle workers',
        'volume old (vol-old) is not mounted',
      ],
    ],
    [health(2, 1, 0), ['pod broken', 'volume old']],
    [health(2, 0, 1), ['pod broken', 'volume old']],
    [health(0, 0, 0), ['pod broken', 'volume old']],
    [{}, ['pod broken', 'volume old']],
  ])('names what is idle: %#', async (workers, named) => {
    const ran = await report([], { ...BILLING, ...FLEET, ...workers });
    const idle = ran.err.split('\n').filter((line) => line.startsWith('Idle: '));
    expect(idle).toHaveLength(named.length);
    for (const [at, what] of named.entries()) expect(idle[at]).toContain(what);
  });

  test('counts of an idle pod that is stopped its disk only, and says of others that it is all they cost', async () => {
    const stopped = { id: 'pod-train', status: 'EXITED', mounts: { persistent: { size: 50 } } };
    const pods = json({ pods: [stopped, { id: 'pod-broken', status: 'ERROR' }] });
    const routes = { ...BILLING, ...FLEET, ...health(2, 0, 0), 'GET /v2/pods': pods };
    const { err } = await report([], routes);
    expect(err).toContain('is stopped, with a disk of 50 GB: $1.00');
    expect(err).toContain('is in ERROR: $102.00');
    expect(documentOf(await report(['--json'], routes)).idle).toContainEqual(
      expect.objectContaining({ id: 'pod-train', costUsd: 1 }),
    );
  });

  test('without the lists still has the costs, says so, and calls no volume idle', async () => {
    const server = await serve([routed(BILLING, problem(403, 'not with this key'))]);
    const env = { ...pointedAt(server.url), BERTH_QUEUE_URL: server.url };
    const ran = await berth(['billing', 'report', '--last', '10d'], { clock: createTestClock(NOW), env });
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('pod-train\tpod-train\tpod\t$301.00');
    expect(ran.err).toContain('Could not list pods, endpoints, volumes, clusters.');
    expect(ran.err).not.toContain('Idle: ');
  });

  test.each([
    [{}, false],
    [{ 'GET /v2/network-volumes': problem(403, 'no') }, true],
  ])('says whether the present rate is known only in part: %#', async (routes, isAtLeast) => {
    const ran = await report(['--json'], { ...BILLING, ...FLEET, ...health(2, 0, 0), ...routes });
    expect(JSON.parse(ran.out)).toMatchObject({ forecast: { atPresentRateIsAtLeast: isAtLeast } });
  });

  test.each([
    ['603', 15],
    ['603.00003', 0],
    ['603.00002', 15],
    ['$700', 0],
  ])('with a budget of %s ends %d', async (budget, code) => {
    const ran = await report(['--budget', budget]);
    expect(ran.code).toBe(code);
    expect(ran.out).toContain('pod-train');
    if (code === 15)
      expect(ran.err).toMatch(/is above the budget of \$603\.00 by [^]*: berth .*billing report --last \w+\n/);
  });

  test.each<[string, readonly string[], string]>([
    ['of a budget is the calendar month', ['--budget', '1'], '2026-01-01T00:00:00Z'],
    ['can be the calendar month without a budget', ['--last', 'month'], '2026-01-01T00:00:00Z'],
    ['of a budget can be another one', ['--budget', '1', '--last', '7d'], '2026-01-09T00:00:00Z'],
    ['is 30 days', [], '2025-12-17T00:00:00Z'],
  ])('the time %s', async (_, flags, from) => {
    const server = await serve([routed({ ...BILLING, ...FLEET, ...health(0, 0, 0) })]);
    const env = { ...pointedAt(server.url), BERTH_QUEUE_URL: server.url };
    const ran = await berth(['billing', 'report', ...flags, '-o', 'table'], { clock: createTestClock(NOW), env });
    expect(ran.err).toContain(`from ${from.slice(0, 10)} to 2026-01-15`);
    const asked = server.seen.filter(({ url }) => url.startsWith('/v2/billing/pods'));
    expect(asked.map(({ url }) => new URL(url, server.url).searchParams.get('startTime'))).toEqual([from]);
  });

  test.each([
    ['the calendar month', ['--budget', '2000']],
    ['one day', ['--last', '1d']],
  ])('the time of %s can begin now, at the first instant of a day and a month', async (_, flags) => {
    const world = createTestWorld({ clock: createTestClock(Date.UTC(2026, 0, 1)) });
    const ran = await berthIn(world, ['--local', 'billing', 'report', ...flags, '-o', 'table']);
    expect(ran.err).toContain('from 2026-01-01 to 2026-01-01 (UTC)');
    expect(ran.code).toBe(0);
  });

  test('forecasts the month by the last days and at the present rate, and compares both with the budget', async () => {
    const { err } = await report(['--budget', '2000', '--last', 'month']);
    const lines = err.split('\n').filter((line) => line.startsWith('2026-01: '));
    expect(lines).toEqual([
      '2026-01: $603.00 so far, about $1597.95 by its end at $60.30 a day.',
      '2026-01: $603.00 so far, about $6317.28 by its end, above the budget of $2000.00, at the present rate of $14.43/h (pods $2.00, clusters $4.00, workers $8.36, volumes $0.07).',
    ]);
  });

  test.each([[['--budget', 'much']], [['--budget', '-5']], [['--last', '12h']], [['--by', 'region']]])(
    '%j is refused',
    async (flags) => {
      const ran = await report(flags);
      expect([ran.code, ran.out]).toEqual([2, '']);
    },
  );

  test.each([
    ['pod', {}, '(terminated)', 'pod-train'],
    ['pod', { 'GET /v2/pods': problem(403, 'no') }, 'pod-train', 'pod-train'],
    ['volume', {}, '(deleted)', 'vol-data'],
  ])('names a %s that is gone: %#', async (by, routes, name, id) => {
    const gone = { 'GET /v2/pods': json({ pods: [] }), 'GET /v2/network-volumes': json({ networkVolumes: [] }) };
    const { out } = await report(['--by', by], { ...BILLING, ...FLEET, ...health(0, 0, 0), ...gone, ...routes });
    expect(out).toContain(`\n${name}\t${id}\t`);
  });

  test('fails as the reports of the service do', async () => {
    const ran = await report([], { ...BILLING, ...FLEET, 'GET /v2/billing/pods': problem(403, 'no') });
    expect(ran.code).toBe(3);
  });

  test('of the local service adds up', async () => {
    const world = createTestWorld();
    const ran = await berthIn(world, ['--local', 'billing', 'report', '--json']);
    const { totalUsd, rows } = documentOf(ran);
    const micros = (value: unknown): number => Math.round(Number(value) * 1e6);
    expect(rows.reduce((total, { totalUsd: each }) => total + micros(each), 0)).toBe(micros(totalUsd));
    for (const row of rows)
      expect(micros(row['gpuUsd']) + micros(row['cpuUsd']) + micros(row['storageUsd']) + micros(row['otherUsd'])).toBe(
        micros(row['totalUsd']),
      );
  });
});

describe('money', () => {
  test('keeps every digit that the service sent', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: 1, max: 12 }), (units, scale) => {
        const digits = units.toString().padStart(scale + 1, '0');
        const text = `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
        const amount = amountAt(decodeJson(`{"a":${text}}`), 'a');
        expect(amount.times(`1e${String(scale)}`).toFixed()).toBe(units.toString());
      }),
    );
    expect(amountAt({ a: 'much' }, 'a')).toBe(NOTHING);
    expect(parseMoney('1e3')).toBeUndefined();
  });
});

describe('the forecast', () => {
  const day = (date: number, dollars: string): DayCost => ({
    startTime: dayText(Date.UTC(2026, 0, date)),
    total: parseMoney(dollars) ?? NOTHING,
    parts: {},
  });

  test('is what was spent, and the average of the last whole days for the time that is left', () => {
    const days = Array.from({ length: 15 }, (_, at) => day(at + 1, at + 1 === 15 ? '5' : '10'));
    const found = forecast(days, NOW, 2);
    expect([found.spent, found.perDay, found.days, found.total].map(String)).toEqual(['145', '10', '7', '310']);
    // 16.5 days are left.
    expect(found.atPresentRate.toFixed()).toBe('937');
  });

  test('of a new account takes the days since its first cost; without one it is what was spent', () => {
    expect(forecast([day(13, '4'), day(14, '6')], NOW, 0)).toMatchObject({ days: 2 });
    expect(forecast([day(13, '4'), day(14, '6')], NOW, 0).perDay.toFixed()).toBe('5');
    const none = forecast([day(15, '3')], NOW, 0);
    expect([none.days, none.total.toFixed()]).toEqual([0, '3']);
  });

  test('at the last moment of a month is what was spent', () => {
    const days = Array.from({ length: 31 }, (_, at) => day(at + 1, '1'));
    expect(forecast(days, Date.UTC(2026, 1, 1) - 1, 100).total.toFixed(2)).toBe('31.00');
  });
});
