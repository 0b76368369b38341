import { expect, test } from 'vitest';
import { NEW_PACE, slowDown } from '../../../../../../src/batch/stores/postgres/pace/pace-state.ts';

test('all drivers wait 30 s at most, after however many slow-downs, unless the service asks for more', () => {
  let state = NEW_PACE;
  let now = 1_000_000;
  for (let count = 0; count < 30; count++) {
    state = slowDown(state, now, now, undefined);
    expect(state.blockedUntil - now).toBeLessThanOrEqual(30_000);
    now = state.blockedUntil + 1;
  }
  expect(state.blockedUntil - state.slowedAt).toBe(30_000);
  expect(slowDown(state, now, now, 90_000).blockedUntil - now).toBe(90_000);
});
