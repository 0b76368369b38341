import { realClock } from '../../../src/host/runtime/clock.ts';
import type { TestClock } from './test-clock.ts';

/**
 * The clock of this machine as a test clock, for tests with a program that has its own time, such as a database. `speed` makes
 * it run so many times as fast from now on, so that waits for the service take little time.
 */
export function createRealClock(speed = 1): TestClock {
  const fixed = (): never => {
    throw new Error('the real clock cannot be moved');
  };
  const [startWall, start] = [realClock.now(), realClock.monotonic()];
  const elapsed = (): number => (realClock.monotonic() - start) * speed;
  return {
    ...realClock,
    now: () => Math.floor(startWall + elapsed()),
    monotonic: () => start + elapsed(),
    sleep: (milliseconds, signal) => realClock.sleep(milliseconds / speed, signal),
    slept: [],
    advance: fixed,
    jumpWall: fixed,
  };
}
