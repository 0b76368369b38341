import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fairShares } from '../../../../../../src/batch/stores/postgres/pace/pace-state.ts';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

describe('fair shares', () => {
  test.each([
    { units: 100, most: [1000, 1000], turn: 0, parts: [50, 50] },
    { units: 99, most: [1000, 1000], turn: 0, parts: [50, 49] },
    { units: 99, most: [1000, 1000], turn: 1, parts: [49, 50] },
    { units: 100, most: [10, 1000], turn: 0, parts: [10, 90] },
    { units: 100, most: [10, 20, 1000], turn: 7, parts: [10, 20, 70] },
    { units: 100, most: [10, 20], turn: 0, parts: [10, 20] },
    { units: 1, most: [5, 5, 5], turn: 2, parts: [0, 0, 1] },
    { units: 2, most: [0, 5, 5, 5], turn: 2, parts: [0, 1, 0, 1] },
    { units: 0, most: [5], turn: 0, parts: [0] },
    { units: 5, most: [], turn: 0, parts: [] },
  ])('of $units among $most at turn $turn are $parts', ({ units, most, turn, parts }) => {
    expect(fairShares(units, most, turn)).toEqual(parts);
  });

  test('use all that can be used, and are equal for claims that get less than they can use', () => {
    const claims = fc.array(fc.nat(200), { maxLength: 12 });
    fc.assert(
      fc.property(fc.nat(1000), claims, fc.nat(50), (units, most, turn) => {
        const parts = fairShares(units, most, turn);
        expect(sum(parts)).toBe(Math.min(units, sum(most)));
        for (const [index, part] of parts.entries()) expect(part).toBeLessThanOrEqual(most[index] ?? 0);
        const open = parts.filter((part, index) => part < (most[index] ?? 0));
        // Nobody has more than the smallest open part and one.
        for (const part of parts) expect(part).toBeLessThanOrEqual(Math.min(Infinity, ...open) + 1);
      }),
    );
  });

  test('give each claim the same over as many turns as there are claims', () => {
    fc.assert(
      fc.property(fc.nat(300), fc.integer({ min: 1, max: 9 }), fc.nat(1000), (units, count, first) => {
        const most = Array.from({ length: count }, () => 1000);
        const turns = Array.from({ length: count }, (_, turn) => fairShares(units, most, first + turn));
        const totals = most.map((_, index) => sum(turns.map((parts) => parts[index] ?? 0)));
        expect(new Set(totals)).toEqual(new Set([units]));
      }),
    );
  });
});
