import { expect, it } from 'vitest';
import { berth } from '../../../support/worlds/run-berth.ts';
import { json, pointedAt, serve } from '../../../support/servers/scripted-server.ts';

const DAY = { startTime: '2026-01-01T00:00:00Z', endTime: '2026-01-02T00:00:00Z' };

/** What a report says below its table, for these records and their sums. */
async function totalsOf(report: string, records: readonly object[], totals: object): Promise<string> {
  const server = await serve([json({ records, metadata: { totals } })]);
  return (await berth(['billing', 'summary', ...report.split(' ').filter(Boolean)], { env: pointedAt(server.url) }))
    .err;
}

it.each([
  ['--by pod', { gpuAmount: 0.1328, cpuAmount: 0, diskAmount: 0.0138 }, '$0.15: GPU $0.13, disk $0.01.'],
  ['--by endpoint', { gpuAmount: 0.03328, diskAmount: 0.00016 }, '$0.03: GPU $0.03, disk <$0.01.'],
  [
    '--by volume',
    { standardAmount: 9.99, highPerformanceAmount: 0.001 },
    '$9.99: standard $9.99, high-performance <$0.01.',
  ],
  ['--by cluster', { gpuAmount: 9.643, diskAmount: 0.413 }, '$10.06: GPU $9.64, disk $0.41.'],
  ['', { podGpuAmount: 0.1328, podDiskAmount: 0.0138 }, '$0.15: pod GPU $0.13, pod disk $0.01.'],
])('the totals of %s are in cents', async (report, parts, shown) => {
  const totals = { ...parts, totalAmount: Object.values(parts).reduce((sum, part) => sum + part, 0) };
  expect(await totalsOf(report, [{ ...DAY, ...totals }], totals)).toContain(`Total ${shown}`);
});
