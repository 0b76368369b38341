import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeText } from '../../../../src/core/safe-text.ts';
import { textWidth, wrap } from '../../../../src/output/text/text-width.ts';

const text = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc
      .array(fc.constantFrom('日本', 'e\u0301', '👩‍💻', 'word', ' ', '  ', '-', 'नम'), { maxLength: 40 })
      .map((parts) => parts.join('')),
  )
  .map((any) => safeText(any));
const width = fc.integer({ min: 2, max: 40 });

describe('wrap', () => {
  test('makes no line wider than the limit and loses nothing but spaces', () => {
    fc.assert(
      fc.property(text, width, (any, columns) => {
        const lines = wrap(any, columns);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
        expect(lines.join('').replaceAll(' ', '')).toBe(any.replaceAll(' ', '').trimEnd());
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    ['one two three', 8, ['one two', 'three']],
    ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['ab cdefgh', 4, ['ab', 'cdef', 'gh']],
    ['  indented text', 10, ['  indented', 'text']],
    ['日本語です', 5, ['日本', '語で', 'す']],
    ['', 5, ['']],
  ])('%j at %i', (any, columns, lines) => {
    expect(wrap(safeText(any), columns)).toEqual(lines);
  });
});
