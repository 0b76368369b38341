import { createTestClock, type TestClock } from './test-clock.ts';

/**
 * A clock that runs `times` times faster than real time. For tests in which a client and a service run side by side over
 * real connections: a clock that jumps would be ahead of them.
 */
export function createFastClock(times = 50): TestClock {
  const startedAt = performance.now();
  let wallOffset = Date.UTC(2026, 0, 1);
  const slept: number[] = [];
  let moved = 0;
  const monotonic = (): number => moved + (performance.now() - startedAt) * times;
  return {
    ...createTestClock(),
    slept,
    now: () => Math.floor(wallOffset + monotonic()),
    monotonic,
    jumpWall: (milliseconds) => {
      wallOffset += milliseconds;
    },
    advance: (milliseconds) => {
      moved += milliseconds;
    },
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason as Error);
          return;
        }
        slept.push(milliseconds);
        const refuse = (): void => {
          clearTimeout(timer);
          reject(signal?.reason as Error);
        };
        const timer = setTimeout(() => {
          signal?.removeEventListener('abort', refuse);
          resolve();
        }, milliseconds / times);
        signal?.addEventListener('abort', refuse, { once: true });
      }),
  };
}
