import { expect, test } from 'vitest';
import { describeCost } from '../../../../src/commands/batch/summary-view.ts';
import { ofWorker } from '../../../../src/cli/money.ts';
import type { Json } from '../../../../src/core/json.ts';

const gpu = (id: string, pool: string | null, serverless?: number): Json => ({
  id,
  pool,
  price: { secure: 9, community: 9, ...(serverless === undefined ? {} : { serverless }) },
});
const flavor = (id: string, serverlessPerVcpu?: number): Json => ({
  id,
  price: { securePerVcpu: 9, ...(serverlessPerVcpu === undefined ? {} : { serverlessPerVcpu }) },
});

const CATALOG: readonly Json[] = [
  gpu('small', 'A', 0.5),
  gpu('middle', 'A', 0.75),
  gpu('large', 'B', 2),
  gpu('other', 'B', 4),
  gpu('secret', 'C'),
  gpu('given', 'C', 1),
  gpu('free', 'D', 0),
  gpu('poolless', null, 100),
  flavor('general', 0.045),
  flavor('memory', 0.06),
  flavor('unpriced'),
];

const pools = (...names: readonly string[]): { pools: readonly string[] } => ({ pools: names });

test.each<[string, Json, { low: number; high: number } | undefined]>([
  ['one type left in a pool', { gpu: { ...pools('A'), excludedTypes: ['middle'] } }, { low: 0.5, high: 0.5 }],
  ['all types of a pool', { gpu: pools('A') }, { low: 0.5, high: 0.75 }],
  [
    'a pool of which nothing is left',
    { gpu: { ...pools('A', 'B'), excludedTypes: ['large', 'other'] } },
    { low: 0.5, high: 0.75 },
  ],
  ['a type without a price', { gpu: pools('A', 'C') }, undefined],
  ['no pools', { gpu: {} }, undefined],
  ['a CPU flavor', { gpu: null, cpu: [{ id: 'general', vcpuCount: 4 }] }, { low: 0.18, high: 0.18 }],
  [
    'a flavor without a price',
    {
      cpu: [
        { id: 'general', vcpuCount: 4 },
        { id: 'unpriced', vcpuCount: 2 },
      ],
    },
    undefined,
  ],
])('an hour of a worker: %s', (_, endpoint, hour) => {
  expect(ofWorker(endpoint, CATALOG).hourly).toEqual(hour);
});

test.each([
  [0.25, 0.25, '~$0.25'],
  [0.0123, 0.0246, '~$0.01 to $0.02'],
  [1.121, 1.124, '~$1.12'],
  [0.00001, 0.00002, '<$0.01'],
  [0.00001, 0.02, '<$0.01 to $0.02'],
  [0, 0, '~$0.00'],
])('%d to %d dollars: %s', (low, high, text) => {
  expect(describeCost({ low, high, sinceResume: false })).toBe(text);
  expect(describeCost({ low, high, sinceResume: true })).toBe(`${text} since resume`);
});
