import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../../src/core/context.ts';
import { createExchangeWatch } from '../../../../src/http/deadline.ts';

/** A watch whose timers fire when the time is set, in order. */
function createWorld() {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly fire: () => void }>();
  const deadline: Clock['deadline'] = (milliseconds) => {
    const controller = new AbortController();
    const timer = {
      at: now + milliseconds,
      fire: () => {
        controller.abort(new Error('deadline'));
      },
    };
    timers.add(timer);
    return { signal: controller.signal, cancel: () => timers.delete(timer) };
  };
  const advanceTo = (time: number): void => {
    for (;;) {
      const [next] = [...timers].filter(({ at }) => at <= time).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      now = next.at;
      timers.delete(next);
      next.fire();
    }
    now = time;
  };
  const interrupt = new AbortController();
  const watch = createExchangeWatch({ deadline }, interrupt.signal);
  const start = (deadlineMs: number) => {
    const aborted: Error[] = [];
    const watched = watch.start({ abort: (reason) => aborted.push(reason) }, deadlineMs);
    return { watched, aborted };
  };
  return { advanceTo, start, interrupt, timers };
}

describe('the deadline of an exchange', () => {
  test('is exact for one that is alone', () => {
    const { advanceTo, start } = createWorld();
    const { aborted, watched } = start(1000);
    advanceTo(999);
    expect(aborted).toEqual([]);
    advanceTo(1000);
    expect([aborted.length, watched.timedOut]).toEqual([1, true]);
  });

  test('is at most a quarter longer for one that joins others, and never shorter', () => {
    const { advanceTo, start } = createWorld();
    start(1000);
    advanceTo(260);
    const { aborted } = start(1000);
    advanceTo(1260);
    expect(aborted).toEqual([]);
    advanceTo(1500);
    expect(aborted).toHaveLength(1);
  });

  test('ends with the exchange, and no timer is left', () => {
    const { advanceTo, start, timers } = createWorld();
    const [ended, other] = [start(1000), start(2000)];
    ended.watched.end();
    other.watched.end();
    expect(timers.size).toBe(0);
    advanceTo(5000);
    expect([ended.aborted, other.aborted]).toEqual([[], []]);
  });

  test('is lifted for a stream, which an interrupt still ends', () => {
    const { advanceTo, start, interrupt } = createWorld();
    const { watched, aborted } = start(1000);
    watched.liftDeadline();
    advanceTo(100_000);
    expect(aborted).toEqual([]);
    interrupt.abort(new Error('interrupted'));
    expect(aborted.map(({ message }) => message)).toEqual(['interrupted']);
  });
});
