import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../src/local/contract/problem.ts';
import { podDocument } from '../../../../src/local/resources/pods/document.ts';
import { giveOddTexts, pods as podTable, seedPods } from '../../../../src/local/model/pods.ts';
import { createState } from '../../../../src/local/state/state.ts';
import {
  applyAction,
  ACTIONS,
  isReachable,
  startedAt,
  statusAt,
  type PodAction,
} from '../../../../src/local/resources/pods/transitions.ts';
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

  it('has plain names, and on request names that a careless program stumbles over', () => {
    expect(pods.map(({ name }) => name).filter((name) => !/^[a-z0-9-]+$/.test(name))).toHaveLength(1);
    const state = createState(NOW);
    giveOddTexts(state);
    const odd = podTable.all(state).map(({ name }) => name);
    const names = odd.join('\n');
    for (const trap of ['\u001b[31m', '\u001b]52;', '\u009b', '\u202e', 'é', '日本', '\t'])
      expect(names).toContain(trap);
    expect(Math.max(...odd.map((name) => name.length))).toBeGreaterThan(200);
  });

  it('keeps its PROVISIONING and STARTING pods as they are', () => {
    const later = NOW + 365 * 86_400_000;
    const held = pods.filter(({ life }) => life.kind === 'held').map((pod) => statusAt(pod, later));
    expect(held).toEqual(['PROVISIONING', 'STARTING']);
  });
});
