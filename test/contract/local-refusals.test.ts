import { describe, expect, it } from 'vitest';
import { seed } from '../../src/local/seed.ts';
import type { State } from '../../src/local/state/state.ts';
import { memoryStore } from '../../src/local/state/store.ts';
import { createTestClock } from '../support/clocks/test-clock.ts';
import { localFixture } from '../support/local/service-fixture.ts';
import { ask, prepare } from './cases/case.ts';
import { CASES } from './cases/index.ts';

describe('what is refused changes nothing', () => {
  const shown = (state: State): unknown => ({ ...state, asOf: 0, rate: undefined, queue: undefined });
  it.each(CASES.filter(({ status }) => status >= 400))('$id $request $status', async (one) => {
    const clock = createTestClock();
    const state = seed(clock.now());
    const { send } = localFixture({ clock, store: memoryStore(state) });
    await prepare(send, one);
    const before = structuredClone(shown(state));
    await ask(send, one);
    expect(shown(state)).toEqual(before);
  });
});
