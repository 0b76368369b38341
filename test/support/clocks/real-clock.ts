import { realClock } from '../../../src/host/runtime/clock.ts';
import type { TestClock } from './test-clock.ts';

/** The clock of this machine as a test clock, for tests with a program that has its own time, such as a database. */
export const createRealClock = (): TestClock => {
  const fixed = (): never => {
    throw new Error('the real clock cannot be moved');
  };
  return { ...realClock, slept: [], advance: fixed, jumpWall: fixed };
};
