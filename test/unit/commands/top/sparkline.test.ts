import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sparkline } from '../../../../src/commands/top/samples.ts';
import { textWidth } from '../../../../src/output/text/text-width.ts';

describe('a sparkline', () => {
  test.each([
    [[0, 1, 50, 99, 100], 5, 100, '▁▂▅██'],
    [[1, 2, 3], 5, undefined, '  ▃▆█'],
    [[0, 0], 2, undefined, '▁▁'],
    [[5, undefined, 5], 3, 10, '▅ ▅'],
    [[-3, 200, Number.NaN, Infinity], 4, 100, '▁█  '],
    [[1, 2, 3, 4], 2, 4, '▆█'],
    [[], 3, undefined, '   '],
    [[1], 0, undefined, ''],
  ])('of %j in %i columns, up to %s', (values, columns, most, shown) => {
    expect(sparkline(values, columns, most)).toBe(shown);
  });

  test('has its width for any values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.double(), { nil: undefined })),
        fc.integer({ min: 0, max: 80 }),
        fc.option(fc.double(), { nil: undefined }),
        (values, columns, most) => {
          expect(textWidth(sparkline(values, columns, most))).toBe(columns);
        },
      ),
    );
  });
});
