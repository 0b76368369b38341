import { describe, expect, it } from 'vitest';
import { localFixture, type LocalFixture, POD_BODY } from '../../../support/local/service-fixture.ts';

const HOUR = 3_600_000;

type Amounts = Readonly<Record<string, number>>;
interface Shown {
  readonly records: readonly (Amounts & { readonly startTime: string; readonly endTime: string })[];
  readonly metadata: { readonly query: unknown; readonly recordCount: number; readonly totals: Amounts };
}

const report = async ({ send }: LocalFixture, path: string): Promise<Shown> =>
  (await send('GET', `/v2/billing${path}`)).body as unknown as Shown;

describe('what a query resolves to', () => {
  const at = (time: string): LocalFixture => {
    const local = localFixture();
    local.clock.advance(Date.parse(time) - local.clock.now());
    return local;
  };

  it.each([
    ['', '2026-02-16', '2026-03-19'],
    ['lastN=1', '2026-03-18', '2026-03-19'],
    ['lastN=2&bucketSize=month', '2026-02-01', '2026-04-01'],
    ['startTime=2026-01-01T23:00:00-02:00', '2026-01-02', '2026-03-19'],
    ['endTime=2026-02-01T00:00:00Z', '2026-01-02', '2026-02-01'],
    ['startTime=2026-03-01T10:00:00Z&endTime=2026-03-01T11:00:00Z&bucketSize=week', '2026-02-23', '2026-03-02'],
    ['lastN=1&bucketSize=year', '2026-01-01', '2027-01-01'],
  ])('%s', async (query, start, end) => {
    const { metadata } = await report(at('2026-03-18T12:30:00Z'), `?${query.replaceAll('+', '%2B')}`);
    expect(metadata.query).toMatchObject({
      startTime: `${start}T00:00:00.000Z`,
      endTime: `${end}T00:00:00.000Z`,
    });
  });

  it.each([
    'lastN=1&startTime=2026-01-01T00:00:00Z',
    'lastN=1&endTime=2026-01-01T00:00:00Z',
    'startTime=2026-03-01T00:00:00Z&endTime=2026-03-01T00:00:00Z',
    'startTime=2027-01-01T00:00:00Z',
  ])('%s: 400', async (query) => {
    expect((await at('2026-03-18T12:30:00Z').send('GET', `/v2/billing?${query}`)).status).toBe(400);
  });
});

describe('what ran costs what it says', () => {
  it('a pod its price while it holds a machine, and its disk', async () => {
    const local = localFixture();
    const { body } = await local.send('POST', '/v2/pods', { ...POD_BODY, disk: 73 });
    const id = String(body['id']);
    local.clock.advance(2 * HOUR);
    await local.send('POST', `/v2/pods/${id}/action`, { action: 'stop' });
    local.clock.advance(5 * HOUR);
    await local.send('PATCH', `/v2/pods/${id}`, { disk: 730 });
    await local.send('POST', `/v2/pods/${id}/action`, { action: 'start' });
    local.clock.advance(HOUR);
    await local.send('DELETE', `/v2/pods/${id}`);
    local.clock.advance(48 * HOUR);
    const { records, metadata } = await report(local, `/pods?podId=${id}&bucketSize=hour`);
    expect(
      records.map(({ startTime, gpuAmount, diskAmount }) => [startTime.slice(11, 13), gpuAmount, diskAmount]),
    ).toEqual([
      ['00', 0.69, 0.01],
      ['01', 0.69, 0.01],
      ['07', 0.69, 0.1],
    ]);
    expect(metadata).toMatchObject({
      query: { podId: id, bucketSize: 'hour', endTime: '2026-01-03T08:00:00.000Z' },
      uniquePodCount: 1,
      totals: { totalAmount: 2.19, gpuAmount: 2.07, cpuAmount: 0, diskAmount: 0.12 },
    });
  });

  it('a volume by its size as it was, and after it is gone nothing', async () => {
    const local = localFixture();
    const { body } = await local.send('POST', '/v2/network-volumes', {
      name: 'v',
      size: 1000,
      dataCenter: 'EU-WEST-1',
    });
    const id = String(body['id']);
    local.clock.advance(730 * HOUR);
    await local.send('PATCH', `/v2/network-volumes/${id}`, { size: 2024 });
    local.clock.advance(73 * HOUR);
    await local.send('DELETE', `/v2/network-volumes/${id}`);
    local.clock.advance(73 * HOUR);
    const { metadata } = await report(local, `/network-volumes?networkVolumeId=${id}&lastN=3&bucketSize=month`);
    // 1000 GB a month at 0.07; a tenth of one with 1024 GB at 0.07 and 1000 at 0.05.
    expect(metadata.totals).toMatchObject({
      totalAmount: 70 + 12.168,
      standardAmount: 82.168,
      highPerformanceAmount: 0,
    });
  });

  it('a cluster for its members, who are no pods of their own here', async () => {
    const local = localFixture();
    const compute = { gpuTypeId: 'GPU-24G', gpuCountPerPod: 2, podCount: 2 };
    const { body } = await local.send('POST', '/v2/clusters', { name: 'c', type: 'RAY', compute, disk: 365 });
    local.clock.advance(HOUR);
    await local.send('DELETE', `/v2/clusters/${String(body['id'])}`);
    const { records } = await report(local, '/clusters');
    expect(records).toMatchObject([
      { clusterId: body['id'], gpuAmount: 2.76, diskAmount: 0.1, networkingAmount: 0.04, totalAmount: 2.9 },
    ]);
    expect((await report(local, '/pods?podId=pod-000002')).records).toEqual([]);
  });

  it('workers for the time they are there; those of a public model apart', async () => {
    const local = localFixture();
    for (const endpoint of ['echo', 'demo-text-model']) await local.send('POST', `/v2/${endpoint}/run`, { input: {} });
    local.clock.advance(HOUR);
    const own = (await report(local, '/serverless')).metadata.totals;
    const model = await report(local, '/endpoints');
    expect(
      [own['cpuAmount'], model.metadata.totals['totalAmount']].every((amount) => amount !== undefined && amount > 0),
    ).toBe(true);
    expect(Object.keys(model.records[0] ?? {})).toEqual(['startTime', 'endTime', 'totalAmount']);
    const summary = (await report(local, '?lastN=2')).metadata.totals;
    expect(summary).toMatchObject({
      serverlessCpuAmount: own['cpuAmount'],
      endpointAmount: model.metadata.totals['totalAmount'],
    });
  });

  it('the summary is what the others add up to', async () => {
    const local = localFixture();
    await local.send('POST', '/v2/echo/run', { input: {} });
    local.clock.advance(26 * HOUR);
    const others = ['/pods', '/serverless', '/endpoints', '/network-volumes', '/clusters'];
    const totals = await Promise.all(
      others.map(async (path) => (await report(local, path)).metadata.totals['totalAmount'] ?? 0),
    );
    const summary = (await report(local, '')).metadata.totals['totalAmount'];
    expect(summary).toBeCloseTo(
      totals.reduce((sum, total) => sum + total, 0),
      6,
    );
    expect(summary).toBeGreaterThan(100);
  });
});
