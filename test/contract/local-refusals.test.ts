import { describe, expect, it } from 'vitest';
import { createState, type State } from '../../src/local/state/state.ts';
import { memoryStore } from '../../src/local/state/store.ts';
import { createTestClock } from '../support/clocks/test-clock.ts';
import { localFixture } from '../support/local/service-fixture.ts';
import { ask, prepare } from './cases/case.ts';
import { CASES } from './cases/index.ts';

describe('what is refused changes nothing', () => {
  const shown = (state: State): unknown => ({
    ...state,
    asOf: 0,
    processedTo: 0,
    parts: { ...state.parts, rate: undefined, queue: undefined },
  });
  /** These requests use every part of the state, so that a refused request does not seed one. */
  const seeding = [
    '/local/status',
    '/v2/billing',
    '/v2/account/ssh-keys',
    '/v2/account/secrets',
    '/v2/serverless/echo/builds',
    '/v2/tags',
    '/v2/global-volumes',
  ];
  it.each(CASES.filter(({ status }) => status >= 400))('$id $request $status', async (one) => {
    const clock = createTestClock();
    const state = createState(clock.now());
    const { send } = localFixture({ clock, store: memoryStore(state) });
    for (const path of seeding) await send('GET', path);
    await prepare(send, one);
    const before = structuredClone(shown(state));
    await ask(send, one);
    expect(shown(state)).toEqual(before);
  });
});
