import type { Behaviour } from '../servers/scripted-server.ts';
import { createTestClock, type TestClock } from './test-clock.ts';

/**
 * Waits until what was written to connections between two ends in this process has been read: each turn of the event loop reads
 * what has arrived.
 */
export async function untilRead(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
}

export interface DeadlineClock extends TestClock {
  /** Lets every running deadline pass now. */
  readonly expire: () => void;
  /** The same, after both sides of the connections of this process have read what was sent to them. */
  expireWhenQuiet(): Promise<void>;
  /** Runs the behaviour, then lets every running deadline pass. */
  expireAfter(behaviour: Behaviour): Behaviour;
}

/** A test clock whose deadlines pass only when the test calls `expire`. */
export function createDeadlineClock(): DeadlineClock {
  const running = new Set<() => void>();
  const expire = (): void => {
    // A deadline may be counted in several ticks, each of which starts the next one.
    for (let tick = 0; tick < 8; tick++) {
      const due = [...running];
      running.clear();
      for (const onOver of due) onOver();
    }
  };
  return {
    ...createTestClock(),
    deadline: (_, onOver) => {
      running.add(onOver);
      return () => running.delete(onOver);
    },
    expire,
    expireWhenQuiet: async () => {
      await untilRead();
      expire();
    },
    expireAfter: (behaviour) => (exchange) => {
      behaviour(exchange);
      setImmediate(expire);
    },
  };
}
