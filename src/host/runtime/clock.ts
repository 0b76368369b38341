import type { Clock } from '../../core/context.ts';
import { asError } from '../../core/failure.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** The system's clock. A sleep keeps the process running. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(asError(signal?.reason));
      };
      if (signal?.aborted === true) {
        onAbort();
        return;
      }
      const wait = (left: number): void => {
        timer = setTimeout(() => {
          if (left > MAX_TIMER_MS) {
            wait(left - MAX_TIMER_MS);
            return;
          }
          signal?.removeEventListener('abort', onAbort);
          resolve();
        }, clampTimer(left));
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      wait(milliseconds);
    }),
  deadline: (milliseconds) => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort(new Error(`not finished within ${String(milliseconds)} ms`));
    }, clampTimer(milliseconds));
    return {
      signal: controller.signal,
      cancel: () => {
        clearTimeout(timer);
      },
    };
  },
};

/**
 * The longest timer of Node, 24 days: a longer one fires at once. A longer sleep uses several timers; a
 * longer deadline ends after this time.
 */
const MAX_TIMER_MS: Milliseconds = 2_147_483_647;

const clampTimer = (milliseconds: Milliseconds): Milliseconds => Math.min(Math.max(0, milliseconds), MAX_TIMER_MS);
