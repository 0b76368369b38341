import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDistribution, QUANTILE_ERROR } from '../../../../src/batch/results/analysis.ts';
import { formatTime } from '../../../../src/commands/batch/report-document.ts';
import { errorPattern } from '../../../../src/batch/model/result-line.ts';

describe('a distribution', () => {
  const values = fc.array(fc.oneof(fc.nat(100), fc.double({ min: 0, max: 1e13, noNaN: true })), { minLength: 1 });

  test('has quantiles within 1% and bins that count every value once', () => {
    fc.assert(
      fc.property(values, (list) => {
        const distribution = createDistribution();
        for (const value of list) distribution.add(value);
        const summary = distribution.summary();
        const sorted = list.toSorted((a, b) => a - b);
        for (const [name, fraction] of [
          ['p50', 0.5],
          ['p95', 0.95],
          ['p99', 0.99],
        ] as const) {
          const exact = sorted[Math.max(1, Math.ceil(fraction * sorted.length)) - 1] ?? 0;
          // Values below 1 ms count as 0.
          expect(Math.abs((summary?.[name] ?? -1) - exact)).toBeLessThanOrEqual(
            Math.max(1, exact * QUANTILE_ERROR * 1.001),
          );
        }
        expect([summary?.count, summary?.min, summary?.max]).toEqual([list.length, sorted[0], sorted.at(-1)]);
        expect(summary?.bins.reduce((sum, { count }) => sum + count, 0)).toBe(list.length);
        for (const [at, bin] of (summary?.bins ?? []).entries()) {
          expect(bin.from).toBeLessThan(bin.to);
          expect(formatTime(bin.from)).not.toBe(formatTime(bin.to));
          expect(bin.count).toBeGreaterThan(0);
          expect(bin.from).toBeGreaterThanOrEqual(summary?.bins[at - 1]?.to ?? bin.from);
        }
        expect(summary?.bins[0]?.from).toBeLessThanOrEqual(sorted[0] ?? 0);
        expect(summary?.bins.length).toBeLessThanOrEqual(20);
      }),
    );
  });
});

test.each([
  ['CUDA out of memory: tried 3.50 GiB on GPU 0', 'CUDA out of memory: tried <n> GiB on GPU <n>'],
  [
    "FileNotFoundError: [Errno 2] No such file: '/data/in/img_7.png'",
    "FileNotFoundError: [Errno <n>] No such file: '<path>'",
  ],
  ['cannot open C:\\Users\\me\\model.bin and/or its copy', 'cannot open <path> and/or its copy'],
  ['HTTP 504 from https://cdn.example.com/o/12?sig=ab12', 'HTTP <n> from <url>'],
  ['worker 5f1c2b1e-8f5b-4b9e-9c7e-0123456789ab died at 12:30:05', 'worker <id> died at <n>'],
  ['no key 9f86d081884c7d659a2feaa0c55ad015', 'no key <id>'],
  ['segmentation fault at 0x7ffdeadbeef', 'segmentation fault at <id>'],
  ['nothing to mask here', 'nothing to mask here'],
])('the pattern of %j', (error, pattern) => {
  expect(errorPattern(error)).toBe(pattern);
});
