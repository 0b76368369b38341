import { describe, expect, it } from 'vitest';
import { parseTimestamp } from '../../../../src/core/units.ts';

const NOW = Date.UTC(2026, 0, 31, 12);

describe('a point in time', () => {
  it.each([
    ['2026-01-30', '2026-01-30T00:00:00Z'],
    ['2026-01-30T10:20:30.123456789Z', '2026-01-30T10:20:30.123456789Z'],
    ['2026-01-30T10:20:30+02:00', '2026-01-30T10:20:30+02:00'],
    ['2026-01-30 10:20:30+02:00', '2026-01-30T08:20:30Z'],
    ['2026-01-30T10:20Z', '2026-01-30T10:20:00Z'],
    [' 7d ', '2026-01-24T12:00:00Z'],
    ['1d12h', '2026-01-30T00:00:00Z'],
  ])('%s is %s', (text, time) => {
    const parsed = parseTimestamp(text, '--from', { now: NOW });
    expect(parsed).toEqual({ at: Date.parse(time), text: time });
  });

  it('a date may be meant with its whole day; a time never is', () => {
    const whole = { now: NOW, endOfDay: true };
    expect(parseTimestamp('2026-01-30', '--to', whole).text).toBe('2026-01-31T00:00:00Z');
    expect(parseTimestamp('2026-01-30T00:00:00Z', '--to', whole).text).toBe('2026-01-30T00:00:00Z');
  });

  it.each([
    ['', /--from is not a time/],
    ['2026', /--from is not a time/],
    ['yesterday', /--from is not a time/],
    ['7x', /--from is not a duration/],
    ['-7d', /--from is not a time/],
    ['2026-13-01', /--from is not a time/],
    ['2026-01-01T25:00:00Z', /--from is not a time/],
    ['2026-01-01T10:00:00', /--from is not a time/],
    ['99999999d', /--from is not a time/],
  ])('%j is refused', (text, words) => {
    expect(() => parseTimestamp(text, '--from', { now: NOW })).toThrow(words);
  });
});
