/**
 * What every test run has. The limits are on silence and not on time: a test or hook that has not ended after five minutes hangs,
 * on the slowest machine too. No test may depend on how fast it is.
 */
const SILENCE_MS = 300_000;

export const vitestDefaults = {
  globalSetup: ['test/support/environment/set-up.ts'],
  testTimeout: SILENCE_MS,
  hookTimeout: SILENCE_MS,
  // Less, so that a poll that never succeeds fails with its last value.
  expect: { poll: { timeout: SILENCE_MS - 10_000 } },
};
