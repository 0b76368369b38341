import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addBuckets,
  type BucketSize,
  bucketStart,
  type Charge,
  rangeOf,
  reportOf,
} from '../../../../src/local/resources/billing.ts';
import { REPORTS, type AmountName, type Report } from '../../../../src/local/resources/billing-reports.ts';
import { localFixture, type LocalFixture, POD_BODY } from '../../../support/local/service-fixture.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 1);
const SIZES: readonly BucketSize[] = ['hour', 'day', 'week', 'month', 'year'];

type Amounts = Readonly<Record<string, number>>;
interface Shown {
  readonly records: readonly (Amounts & { readonly startTime: string; readonly endTime: string })[];
  readonly metadata: { readonly query: unknown; readonly recordCount: number; readonly totals: Amounts };
}

const report = async ({ send }: LocalFixture, path: string): Promise<Shown> =>
  (await send('GET', `/v2/billing${path}`)).body as unknown as Shown;

const moment = fc.integer({ min: NOW - 400 * 24 * HOUR, max: NOW + 400 * 24 * HOUR });

describe('bucket edges', () => {
  it('lie around every moment, each where the one before says', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SIZES), moment, (size, at) => {
        const edge = bucketStart(size, at);
        const next = addBuckets(size, edge);
        expect(edge).toBeLessThanOrEqual(at);
        expect(next).toBeGreaterThan(at);
        expect([bucketStart(size, edge), bucketStart(size, next - 1), bucketStart(size, next)]).toEqual([
          edge,
          edge,
          next,
        ]);
        expect(addBuckets(size, next, -1)).toBe(edge);
      }),
    );
  });

  it.each([
    ['hour', '2026-02-28T23:00:00.000Z', '2026-03-01T00:00:00.000Z'],
    ['day', '2026-02-28T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
    ['week', '2026-02-23T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
    ['month', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
    ['year', '2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ] as const)('of a Saturday by the %s', (size, from, to) => {
    const edge = bucketStart(size, Date.parse('2026-02-28T23:30:00Z'));
    expect([edge, addBuckets(size, edge)].map((at) => new Date(at).toISOString())).toEqual([from, to]);
  });
});

describe('what a query resolves to', () => {
  const NOON = Date.parse('2026-03-18T12:30:00Z');
  it.each([
    ['', '2026-02-16', '2026-03-19'],
    ['lastN=1', '2026-03-18', '2026-03-19'],
    ['lastN=2&bucketSize=month', '2026-02-01', '2026-04-01'],
    ['lastN=999999999&bucketSize=year', '1970-01-01', '2027-01-01'],
    ['startTime=2026-01-01T23:00:00-02:00', '2026-01-02', '2026-03-19'],
    ['endTime=2026-02-01T00:00:00Z', '2026-01-02', '2026-02-01'],
    ['startTime=2026-03-01T10:00:00Z&endTime=2026-03-01T11:00:00Z&bucketSize=week', '2026-02-23', '2026-03-02'],
  ])('%s', (query, start, end) => {
    const range = rangeOf(new URLSearchParams(query), NOON);
    expect([range.start, range.end].map((at) => new Date(at).toISOString().slice(0, 10))).toEqual([start, end]);
  });

  it.each([
    'lastN=1&startTime=2026-01-01T00:00:00Z',
    'lastN=1&endTime=2026-01-01T00:00:00Z',
    'startTime=2026-03-01T00:00:00Z&endTime=2026-03-01T00:00:00Z',
    'startTime=2027-01-01T00:00:00Z',
  ])('%s: 400', (query) => {
    expect(() => rangeOf(new URLSearchParams(query), NOON)).toThrow(expect.objectContaining({ status: 400 }));
  });
});

describe('billing reports', () => {
  const names = Object.keys(REPORTS.listBilling.amounts) as AmountName[];
  const charge: fc.Arbitrary<Charge> = fc
    .record({
      amount: fc.constantFrom(...names),
      id: fc.constantFrom('a', 'b', 'c'),
      perHour: fc.double({ min: 0, max: 50, noNaN: true }),
      from: moment,
      span: fc.integer({ min: 0, max: 60 * 24 * HOUR }),
    })
    .map(({ span, ...rest }) => ({ ...rest, to: rest.from + span }));
  const micros = (dollars = 0): number => Math.round(dollars * 1e6);

  it('totals equal the sum of the records, records the sum of their parts, and every bucket size gives the same total', () => {
    fc.assert(
      fc.property(
        fc.array(charge, { maxLength: 8 }),
        fc.constantFrom(...Object.values(REPORTS)),
        (charges, kind: Report) => {
          const whole = SIZES.filter((size) => size !== 'hour').map((bucketSize) => {
            // Years are whole months, days and hours, but not whole weeks: for those everything lies inside.
            const range = {
              start: bucketStart(bucketSize, NOW - 800 * 24 * HOUR),
              end: NOW + 900 * 24 * HOUR,
              bucketSize,
            };
            const shown = reportOf(kind, charges, range, null) as unknown as Shown;
            for (const [member, total] of Object.entries(shown.metadata.totals))
              expect(micros(total)).toBe(shown.records.reduce((sum, record) => sum + micros(record[member]), 0));
            for (const { totalAmount, startTime, endTime, ...rest } of shown.records) {
              const parts = Object.keys(kind.amounts).filter((member) => member in rest);
              if (parts.length > 0)
                expect(micros(totalAmount)).toBe(parts.reduce((sum, part) => sum + micros(rest[part]), 0));
              expect(bucketStart(bucketSize, Date.parse(startTime))).toBe(Date.parse(startTime));
              expect(Date.parse(endTime)).toBe(addBuckets(bucketSize, Date.parse(startTime)));
            }
            expect(shown.metadata.recordCount).toBe(shown.records.length);
            return Object.values(shown.metadata.totals).map(micros);
          });
          for (const totals of whole) expect(totals).toEqual(whole[0]);
        },
      ),
      { numRuns: 60 },
    );
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
