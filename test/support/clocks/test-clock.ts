import type { Clock } from '../../../src/core/context.ts';

/** A clock for tests. Its time changes only when something sleeps on it or moves it. */
export interface TestClock extends Clock {
  /** Moves the clock forward and wakes the sleepers that are due. Milliseconds. */
  advance(milliseconds: number): void;
  /** Sets the wall clock forward or (negative) back, as a user or a time server does. Monotonic time does not change. */
  jumpWall(milliseconds: number): void;
  /** The duration of every sleep, in call order. Milliseconds. */
  readonly slept: number[];
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/**
 * A clock whose sleeps take no real time. After all other work of the event loop has run, it jumps to the earliest
 * sleeper and wakes it. `deadline` counts real time, as the port requires. `startMs` is in milliseconds since the epoch.
 */
export function createTestClock(startMs = Date.UTC(2026, 0, 1)): TestClock {
  let monotonic = 0;
  let wallOffset = startMs;
  let jumping = false;
  const slept: number[] = [];
  const sleepers: Sleeper[] = [];

  const wakeUpTo = (time: number): void => {
    monotonic = Math.max(monotonic, time);
    for (const sleeper of sleepers.filter(({ at }) => at <= monotonic)) {
      remove(sleepers, sleeper);
      sleeper.wake();
    }
  };

  const jumpSoon = (): void => {
    if (jumping) return;
    jumping = true;
    setImmediate(() => {
      jumping = false;
      if (sleepers.length === 0) return;
      wakeUpTo(Math.min(...sleepers.map(({ at }) => at)));
      if (sleepers.length > 0) jumpSoon();
    });
  };

  return {
    slept,
    now: () => wallOffset + monotonic,
    monotonic: () => monotonic,
    advance: (milliseconds) => {
      wakeUpTo(monotonic + milliseconds);
    },
    jumpWall: (milliseconds) => {
      wallOffset += milliseconds;
    },
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        const refuse = (): void => {
          remove(sleepers, sleeper);
          reject(signal?.reason as Error);
        };
        const sleeper: Sleeper = {
          at: monotonic + Math.max(0, milliseconds),
          wake: () => {
            signal?.removeEventListener('abort', refuse);
            resolve();
          },
        };
        if (signal?.aborted === true) {
          refuse();
          return;
        }
        slept.push(milliseconds);
        signal?.addEventListener('abort', refuse, { once: true });
        sleepers.push(sleeper);
        jumpSoon();
      }),
    deadline: (milliseconds, onOver) => {
      const timer = setTimeout(onOver, milliseconds);
      return () => {
        clearTimeout(timer);
      };
    },
  };
}

function remove<T>(list: T[], item: T): void {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}
