import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Json } from '../../../src/core/json.ts';
import { findIdle, longestInterval } from '../../../src/guard/samples/idle.ts';
import { decodeTracks, encodeTracks } from '../../../src/guard/samples/tracks.ts';
import { podKey, useOf, USE_SAMPLES, withUse, type PodTracks } from '../../../src/guard/samples/use-samples.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-03-10T00:00:00Z');
const LIMITS = { forMs: 120 * MINUTE, gpu: 5, cpu: 10, memory: undefined };

/** The use of a pod: of its GPUs, its CPU and its memory, in percent; undefined where the service says nothing. */
type Use = readonly [gpus: readonly (number | null)[], cpu: number | null, memory?: number] | undefined;

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
          memory: { util: use[2] ?? 50 },
        },
});

/** Sweeps from `from` to `to`, in minutes after START. */
function sweeps(from: number, to: number, every: number, use: (minute: number) => Use, before: PodTracks = new Map()) {
  let samples = before;
  for (let minute = from; minute <= to; minute += every)
    samples = withUse(samples, [podWith(use(minute))], START + minute * MINUTE);
  return samples;
}

/** The samples of the start of the pod. */
const samplesOf = (tracks: PodTracks, startedAt = START) => tracks.get(podKey(podWith(undefined, startedAt)))?.samples;

const stateAt = (samples: PodTracks, minute: number, startedAt = START) =>
  findIdle(samplesOf(samples, startedAt) ?? [], startedAt, LIMITS, START + minute * MINUTE).state;

const IDLE: Use = [[0], 1];
const BUSY: Use = [[90], 1];

describe('a pod is idle for two hours', () => {
  const cases: readonly (readonly [string, 'met' | 'not-met' | 'unknown', PodTracks])[] = [
    ['with samples each minute', 'met', sweeps(1, 180, 1, () => IDLE)],
    ['with samples every ten minutes', 'met', sweeps(0, 180, 10, () => IDLE)],
    ['not with samples every forty minutes', 'unknown', sweeps(20, 180, 40, () => IDLE)],
    ['not without any sample', 'unknown', new Map()],
    ['not when it was busy once', 'not-met', sweeps(1, 180, 1, (minute) => (minute === 100 ? BUSY : IDLE))],
    ['when it was busy before', 'met', sweeps(1, 180, 1, (minute) => (minute < 50 ? BUSY : IDLE))],
    ['not when it is busy now', 'not-met', sweeps(1, 180, 1, (minute) => (minute === 180 ? BUSY : IDLE))],
    ['not when its end is missing', 'unknown', sweeps(1, 160, 1, () => IDLE)],
    ['with a gap of a tenth', 'met', sweeps(1, 180, 1, (minute) => (minute > 90 && minute < 102 ? undefined : IDLE))],
    [
      'not with a gap of a third',
      'unknown',
      sweeps(1, 180, 1, (minute) => (minute > 90 && minute < 130 ? undefined : IDLE)),
    ],
    ['not when one of its GPUs works', 'not-met', sweeps(1, 180, 1, () => [[0, 0, 60, 0], 1])],
    ['not when one of its GPUs says nothing', 'unknown', sweeps(1, 180, 1, () => [[0, null], 1])],
    ['not when its CPU says nothing', 'unknown', sweeps(1, 180, 1, () => [[0], null])],
    ['with use just below the limit', 'met', sweeps(1, 180, 1, () => [[4.9], 9.9])],
    ['not with GPU use at the limit', 'not-met', sweeps(1, 180, 1, () => [[5], 1])],
    ['not with CPU use at the limit', 'not-met', sweeps(1, 180, 1, () => [[0], 10])],
    ['also when its memory is full', 'met', sweeps(1, 180, 1, () => [[0], 1, 100])],
    ['without GPUs by its CPU', 'met', sweeps(1, 180, 1, () => [[], 1])],
  ];
  it.each(cases)('%s: %s', (_, state, samples) => {
    expect(stateAt(samples, 180)).toBe(state);
  });

  it('not when it runs for less', () => {
    expect(
      stateAt(
        sweeps(1, 119, 1, () => IDLE),
        119,
      ),
    ).toBe('not-met');
  });

  it('a new start begins anew, also when an old guard knows the start before', () => {
    const before = sweeps(1, 180, 1, () => IDLE);
    const restarted = START + 181 * MINUTE;
    const after = withUse(before, [podWith(IDLE, restarted)], START + 182 * MINUTE);
    expect(samplesOf(after, restarted)).toHaveLength(1);
    expect(stateAt(after, 182, restarted)).toBe('not-met');
  });

  it('a clock that is set back drops the samples of the future', () => {
    const before = sweeps(1, 180, 1, () => IDLE);
    const after = withUse(before, [podWith(IDLE)], START + 60 * MINUTE);
    expect(samplesOf(after)?.every(({ at }) => at <= START + 60 * MINUTE)).toBe(true);
  });

  it('a start that ended is kept for the history for a week, and then forgotten', () => {
    const before = sweeps(1, 10, 1, () => IDLE);
    expect(withUse(before, [], START + 11 * MINUTE)).toEqual(before);
    expect(withUse(before, [], START + 8 * 24 * 60 * MINUTE).size).toBe(0);
  });
});

test('what is not RUNNING has no use', () => {
  expect(useOf({ ...(podWith(IDLE) as object), status: 'STARTING' }, START)).toBeUndefined();
});

test('samples are bounded: a week of minutes takes some hundreds', () => {
  const week = sweeps(1, 7 * 24 * 60, 1, () => IDLE);
  expect(samplesOf(week)?.length).toBeLessThan(400);
  expect(decodeTracks(encodeTracks(week, USE_SAMPLES), USE_SAMPLES)).toEqual(week);
});

test('what is kept of a pod has the variables of its deadlines, and no other', () => {
  const pod = { ...(podWith(IDLE) as object), env: { BERTH_STOP_AFTER: '1h', TOKEN: 'secret' }, image: 'i' };
  expect([...withUse(new Map(), [pod], START).values()][0]?.row).toEqual({
    id: 'pod-1',
    status: 'RUNNING',
    startedAt: new Date(START).toISOString(),
    gpu: { id: 'GPU-80G' },
    env: { BERTH_STOP_AFTER: '1h' },
  });
});

test('a file of samples that is damaged gives what is left of it', () => {
  const row = { id: 'pod-1' };
  const damaged = { a: { row, seenAt: 1, samples: [[1, null, 2, 3], [1], 'x', null] }, b: 1, c: {}, d: { row } };
  expect(decodeTracks(damaged, USE_SAMPLES)).toEqual(
    new Map([['a', { row, seenAt: 1, samples: [{ at: 1, gpu: undefined, cpu: 2, memory: 3 }] }]]),
  );
});

test('for any intervals and use: idle only when every sweep of the time saw no use, and always when sweeps were close', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ gap: fc.integer({ min: 1, max: 30 }), gpu: fc.constantFrom(0, 1, 4, 5, 80) }), {
        minLength: 20,
        maxLength: 200,
      }),
      (seen) => {
        let [minute, samples] = [0, new Map() as PodTracks];
        const all = seen.map(({ gap, gpu }) => {
          minute += gap;
          samples = withUse(samples, [podWith([[gpu], 1])], START + minute * MINUTE);
          return { minute, gpu };
        });
        const within = all.filter((each) => each.minute > minute - 120);
        const state = stateAt(samples, minute);
        if (within.some(({ gpu }) => gpu >= LIMITS.gpu)) expect(state).toBe('not-met');
        if (state === 'met') expect(within.every(({ gpu }) => gpu < LIMITS.gpu)).toBe(true);
        const wasClose = seen.every(({ gap }) => gap * MINUTE <= longestInterval(LIMITS.forMs) / 3);
        const wasBusyNear = all.some((each) => each.minute > minute - 130 && each.gpu >= LIMITS.gpu);
        if (wasClose && !wasBusyNear && minute > 121) expect(state).toBe('met');
      },
    ),
  );
});
