import { describe, expect, it, test } from 'vitest';
import type { Json } from '../../../src/core/json.ts';
import { IdleWatch } from '../../../src/guard/decide.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-03-10T00:00:00Z');
const TWO_HOURS = 120 * MINUTE;

/** The use of a pod in percent: of its GPUs and its CPU; undefined where the service says nothing. */
type Use = readonly [gpus: readonly (number | null)[], cpu: number | null] | undefined;

const podWith = (use: Use, startedAt = START): Json => ({
  id: 'pod-1',
  status: 'RUNNING',
  startedAt: new Date(startedAt).toISOString(),
  gpu: { id: 'GPU-80G', count: use?.[0].length ?? 1 },
  runtime:
    use === undefined
      ? null
      : {
          gpus: use[0].map((util) => (util === null ? {} : { util })),
          cpu: use[1] === null ? {} : { util: use[1] },
          memory: { util: 100 },
        },
});

const IDLE: Use = [[0], 1];
const BUSY: Use = [[90], 1];

/** What is found at the end of looks from minute 0 to minute `to`. */
function stateAt(to: number, every: number, use: (minute: number) => Use): string {
  const watch = new IdleWatch(TWO_HOURS);
  for (let minute = 0; minute <= to; minute += every) watch.look([podWith(use(minute))], START + minute * MINUTE);
  return watch.find(podWith(use(to)), START + to * MINUTE).state;
}

describe('a pod is idle for two hours', () => {
  const between = (from: number, to: number, then: Use) => (minute: number) =>
    minute > from && minute < to ? then : IDLE;
  const cases: readonly (readonly [string, 'met' | 'not-met' | 'unknown', string])[] = [
    ['once it was watched for two hours', 'met', stateAt(120, 1, () => IDLE)],
    ['not before', 'unknown', stateAt(119, 1, () => IDLE)],
    ['not with a look every forty minutes', 'unknown', stateAt(200, 40, () => IDLE)],
    ['not when it was busy an hour ago', 'unknown', stateAt(180, 1, between(119, 121, BUSY))],
    ['not when it is busy now', 'not-met', stateAt(180, 1, between(179, 181, BUSY))],
    ['not when its use now is missing', 'unknown', stateAt(180, 1, between(179, 181, undefined))],
    ['with a gap of a tenth', 'met', stateAt(180, 1, between(90, 102, undefined))],
    ['not with a gap of a third', 'unknown', stateAt(180, 1, between(90, 130, undefined))],
    ['not when one of its GPUs works', 'not-met', stateAt(180, 1, () => [[0, 0, 60, 0], 1])],
    ['not when one of its GPUs says nothing', 'unknown', stateAt(180, 1, () => [[0, null], 1])],
    ['not when its CPU says nothing', 'unknown', stateAt(180, 1, () => [[0], null])],
    ['not with CPU use at the limit', 'not-met', stateAt(180, 1, () => [[0], 10])],
    ['without GPUs by its CPU', 'met', stateAt(180, 1, () => [[], 1])],
  ];
  it.each(cases)('%s: %s', (_, state, found) => {
    expect(found).toBe(state);
  });
});

/** A watch of three hours of a pod that idles. */
function watched(): IdleWatch {
  const watch = new IdleWatch(TWO_HOURS);
  for (let minute = 0; minute <= 180; minute++) watch.look([podWith(IDLE)], START + minute * MINUTE);
  return watch;
}

test('a new start is watched anew', () => {
  const watch = watched();
  const restarted = podWith(IDLE, START + 181 * MINUTE);
  watch.look([restarted], START + 182 * MINUTE);
  expect(watch.find(restarted, START + 182 * MINUTE)).toEqual({ state: 'unknown', why: 'idle for 0s of 2h' });
});

test.each([
  ['back', 60],
  ['ahead', 600],
])('a clock that is set %s begins the watch anew', (_, minute) => {
  const watch = watched();
  watch.look([podWith(IDLE)], START + minute * MINUTE);
  expect(watch.find(podWith(IDLE), START + minute * MINUTE).state).toBe('unknown');
});
