import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../src/local/contract/problem.ts';
import {
  ACTIONS,
  applyAction,
  isReachable,
  type PodAction,
  podDocument,
  startedAt,
  statusAt,
} from '../../../../src/local/resources/pods/document.ts';
import { seedPods } from '../../../../src/local/model/pods.ts';
import { isObject } from '../../../../src/core/json.ts';

const NOW = Date.UTC(2026, 0, 1);

const step = fc.record({
  /** Milliseconds. */
  pause: fc.oneof(fc.integer({ min: 0, max: 6000 }), fc.constantFrom(0, 2000, 3000, 5000, 86_400_000)),
  action: fc.constantFrom<PodAction>('start', 'stop', 'restart', 'terminate'),
});

describe('whatever is done to a pod, and whenever', () => {
  const seeds = seedPods(NOW).map(({ id }) => id);
  it('an action works just where the pod lists it, and facts tied to status hold', () => {
    fc.assert(
      fc.property(fc.constantFrom(...seeds), fc.boolean(), fc.array(step, { maxLength: 12 }), (id, locked, steps) => {
        const found = seedPods(NOW).find((seeded) => seeded.id === id);
        if (found === undefined) throw new Error(`no seed ${id}`);
        const pod = { ...found, locked };
        let now = NOW;
        for (const { pause, action } of steps) {
          now += pause;
          const before = structuredClone(pod);
          const status = statusAt(pod, now);
          const held = locked && (action === 'stop' || action === 'restart');
          if (ACTIONS[status].includes(action) && !held) applyAction(pod, action, now);
          else {
            expect(() => {
              applyAction(pod, action, now);
            }).toThrow(Problem);
            expect(pod).toEqual(before);
          }
          const shown = podDocument(pod, now, () => undefined);
          if (!isObject(shown)) throw new Error('no document');
          const after = statusAt(pod, now);
          expect(shown['status']).toBe(after);
          expect(shown['actions']).toEqual(ACTIONS[after]);
          expect(shown['runtime'] !== null).toBe(isReachable(pod, now));
          if (after !== 'RUNNING') expect(shown['runtime']).toBeNull();
          expect(shown['cost'] === 0).toBe(after === 'EXITED' || after === 'TERMINATED');
          expect(startedAt(pod, now) ?? now).toBeLessThanOrEqual(now);
          if (after === 'TERMINATED') expect(pod.mounts).toEqual({});
        }
      }),
    );
  });
});

describe('the seeded account', () => {
  const pods = seedPods(NOW);

  it('has a pod of every status, of both kinds, with every kind of mount', () => {
    expect(new Set(pods.map((pod) => statusAt(pod, NOW)))).toEqual(new Set(Object.keys(ACTIONS)));
    for (const pod of pods) expect([pod.id, pod.gpu === undefined]).toEqual([pod.id, pod.cpu !== undefined]);
    expect(pods.some(({ cpu }) => cpu !== undefined)).toBe(true);
    expect(pods.some(({ mounts }) => mounts.network !== undefined)).toBe(true);
    expect(pods.some(({ mounts }) => mounts.persistent !== undefined)).toBe(true);
    expect(pods.some(({ gpu }) => gpu?.count === 2)).toBe(true);
  });
});
