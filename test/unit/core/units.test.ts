import { describe, expect, it } from 'vitest';
import { formatBytes, formatDollars, formatDuration, parseDuration } from '../../../src/core/units.ts';

describe('durations', () => {
  it.each([
    ['90s', 90_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['7', 7000],
    ['600000s', 600_000_000],
  ])('%s is %d ms', (text, milliseconds) => {
    expect(parseDuration(text, 's', '--time')).toBe(milliseconds);
  });

  it.each(['', '-5s', '5x', 's', '1h 30', 'NaN', '1e3s', '5m5'])('%j is not a duration', (text) => {
    expect(() => parseDuration(text, 's', '--time')).toThrow(/--time is not a duration/);
  });

  it('a number of more than a day in seconds is refused with both readings', () => {
    expect(() => parseDuration('600000', 's', '--execution-timeout')).toThrow(
      expect.objectContaining({
        exit: 2,
        message: '--execution-timeout needs a unit: 600000',
        hint: 'Write 600000s, which is 6d22h, or 600s, if these are milliseconds.',
      }),
    );
    expect(parseDuration('30', 'd', '--last')).toBe(30 * 86_400_000);
  });

  it.each([
    [0, '0s'],
    [999, '999ms'],
    [999.6, '1s'],
    [61_000, '1m1s'],
  ])('%d milliseconds are %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });
});

describe('sizes and money', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [10_000_000, '10 MB'],
    [9_550_000, '9.6 MB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it.each([
    [0, '$0.00'],
    [1.236, '$1.24'],
    [0.0034, '<$0.01'],
    [-2, '-$2.00'],
  ])('%d dollars are %s', (amount, text) => {
    expect(formatDollars(amount)).toBe(text);
  });
});
