import { describe, expect, it, test } from 'vitest';
import type { Json } from '../../../src/core/json.ts';
import { checkDeadlines, deadlinesOf, nextDeadline, storedDeadline } from '../../../src/guard/deadline.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');

const pod = (env: Readonly<Record<string, string>>, more: Readonly<Record<string, Json>> = {}): Json => ({
  id: 'pod-1',
  status: 'RUNNING',
  createdAt: '2026-03-10T06:00:00Z',
  startedAt: '2026-03-10T10:00:00Z',
  env,
  ...more,
});

describe('the deadline of a pod that is over first', () => {
  const cases: readonly (readonly [string, Json, readonly [string, string] | undefined])[] = [
    ['counts a stop from its start', pod({ BERTH_STOP_AFTER: '4h' }), ['stop', '2026-03-10T14:00:00.000Z']],
    [
      'is the first of two',
      pod({ BERTH_STOP_AFTER: '30h', BERTH_TERMINATE_AFTER: '1d' }),
      ['terminate', '2026-03-11T06:00:00.000Z'],
    ],
    ['may be a time', pod({ BERTH_STOP_AFTER: '2026-03-10T13:30:00+01:00' }), ['stop', '2026-03-10T12:30:00.000Z']],
    ['is not there after none', pod({ BERTH_STOP_AFTER: 'none' }), undefined],
    ['is not there while it is stopped', pod({ BERTH_STOP_AFTER: '1h' }, { status: 'EXITED' }), undefined],
    // Its startedAt is still that of the start before.
    ['is not there while it is being started', pod({ BERTH_STOP_AFTER: '1h' }, { status: 'PROVISIONING' }), undefined],
    [
      'counts from its creation until it starts',
      pod({ BERTH_STOP_AFTER: '1h' }, { startedAt: null, status: 'PROVISIONING' }),
      ['stop', '2026-03-10T07:00:00.000Z'],
    ],
    ['is not there when it was started after the time', pod({ BERTH_STOP_AFTER: '2026-03-10' }), undefined],
    ['is not there for a value that is nothing', pod({ BERTH_STOP_AFTER: 'soon' }), undefined],
  ];
  it.each(cases)('%s', (_, given, expected) => {
    const next = nextDeadline(given);
    expect(next === undefined ? undefined : [next.action, new Date(next.at).toISOString()]).toEqual(expected);
  });

  it('says that a value cannot be read', () => {
    expect(deadlinesOf(pod({ BERTH_STOP_AFTER: 'soon' }))).toEqual([
      { action: 'stop', given: 'soon', at: undefined, isUnreadable: true },
    ]);
  });
});

test.each([
  ['4h', '4h'],
  ['90m', '90m'],
  ['1h30m', '90m'],
  ['1.5h', '90m'],
  ['48h', '2d'],
  [' none ', 'none'],
  ['2026-12-01', '2026-12-01T00:00:00Z'],
  ['2026-12-01T18:00:00+02:00', '2026-12-01T16:00:00Z'],
])('--stop-after %s is stored as %s', (given, stored) => {
  expect(storedDeadline(given, '--stop-after')).toBe(stored);
});

test.each(['', 'soon', '0h', '-1h', '4', '4h later'])('--stop-after %j is refused', (given) => {
  expect(() => storedDeadline(given, '--stop-after')).toThrow(/--stop-after/);
});

test('a deadline that is over already is refused, and a lifetime is not', () => {
  const check = (env: Readonly<Record<string, string>>) => () => {
    checkDeadlines(env, NOW);
  };
  expect(check({ BERTH_STOP_AFTER: '2026-03-10T11:59:59Z' })).toThrow(/over already/);
  expect(check({ BERTH_TERMINATE_AFTER: 'rubbish' })).toThrow(/BERTH_TERMINATE_AFTER/);
  expect(check({ BERTH_STOP_AFTER: '1s', BERTH_TERMINATE_AFTER: 'none', OTHER: 'rubbish' })).not.toThrow();
});
