import type { Behaviour } from '../servers/scripted-server.ts';
import { createTestClock, type TestClock } from './test-clock.ts';

export interface DeadlineClock extends TestClock {
  /** Lets every running deadline pass now. */
  readonly expire: () => void;
  /** Runs the behaviour, then lets every running deadline pass. */
  expireAfter(behaviour: Behaviour): Behaviour;
}

/** A test clock whose deadlines pass only when the test calls `expire`. */
export function createDeadlineClock(): DeadlineClock {
  const running = new Set<AbortController>();
  const expire = (): void => {
    // A deadline may be counted in several ticks, each of which starts the next one.
    for (let tick = 0; tick < 8; tick++) {
      const due = [...running];
      running.clear();
      for (const each of due) each.abort(new Error('deadline'));
    }
  };
  return {
    ...createTestClock(),
    deadline: () => {
      const controller = new AbortController();
      running.add(controller);
      return { signal: controller.signal, cancel: () => running.delete(controller) };
    },
    expire,
    expireAfter: (behaviour) => (exchange) => {
      behaviour(exchange);
      setImmediate(expire);
    },
  };
}
