import { describe, expect, it } from 'vitest';
import { parseTimestamp } from '../../../../src/core/units.ts';

const NOW = Date.UTC(2026, 0, 31, 12);

describe('a point in time', () => {
  it.each([
    ['2026-01-30', '2026-01-30T00:00:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['2026-01-30T10:20:30Z', '2026-01-30T10:20:30Z'],
    [' 2026-01-30t10:20:30.5z', '2026-01-30T10:20:30.5Z'],
    ['2026-01-30T10:20:30.123456789Z', '2026-01-30T10:20:30.123456789Z'],
    ['2026-01-30 10:20:30+02:00', '2026-01-30T10:20:30+02:00'],
    ['2026-01-30T10:20+02:00', '2026-01-30T10:20:00+02:00'],
    ['2026-01-30 10:20z', '2026-01-30T10:20:00Z'],
    ['2026-01-30T10:20:30-0530', '2026-01-30T10:20:30-05:30'],
    [' 7d ', '2026-01-24T12:00:00Z'],
    ['1d12h', '2026-01-30T00:00:00Z'],
    ['1.5h', '2026-01-31T10:30:00Z'],
  ])('%s is %s', (text, time) => {
    expect(parseTimestamp(text, '--from', { now: NOW }).text).toBe(time);
  });

  it.each([
    ['2026-01-30T10:20:30.123456789Z', Date.UTC(2026, 0, 30, 10, 20, 30, 123)],
    ['2026-01-30t10:20:30.5z', Date.UTC(2026, 0, 30, 10, 20, 30, 500)],
    ['2026-01-30 10:20:30+02:00', Date.UTC(2026, 0, 30, 8, 20, 30)],
    ['2026-01-30T10:20+0200', Date.UTC(2026, 0, 30, 8, 20)],
  ])('%s is that very millisecond', (text, at) => {
    expect(parseTimestamp(text, '--from', { now: NOW }).at).toBe(at);
  });

  it('a date may be meant with its whole day; a time never is', () => {
    const whole = { now: NOW, endOfDay: true };
    expect(parseTimestamp('2026-01-30', '--to', whole).text).toBe('2026-01-31T00:00:00Z');
    expect(parseTimestamp('2026-01-30T00:00:00Z', '--to', whole).text).toBe('2026-01-30T00:00:00Z');
    expect(parseTimestamp('1d', '--to', whole).text).toBe('2026-01-30T12:00:00Z');
  });

  it.each([
    ['', /--from is not a time/],
    ['7', /--from is not a time/],
    ['2026', /--from is not a time/],
    ['yesterday', /--from is not a time/],
    ['7x', /--from is not a duration/],
    ['-7d', /--from is not a time/],
    ['2026-02-30', /--from is not a time/],
    ['2026-13-01', /--from is not a time/],
    ['2026-01-01T25:00:00Z', /--from is not a time/],
    ['2026-02-30T00:00:00Z', /--from is not a time/],
    ['2026-01-01T00:00+99:00', /--from is not a time/],
    ['2026-01-01T10:00:00', /--from is not a time/],
    ['2026-01-01T10:00', /--from is not a time/],
    ['99999999d', /--from is not a time/],
  ])('%j is refused', (text, words) => {
    expect(() => parseTimestamp(text, '--from', { now: NOW })).toThrow(words);
  });
});
