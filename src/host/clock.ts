import type { Clock } from '../core/context.ts';

/** The real time. A sleep keeps the process alive: whoever sleeps waits for something. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const refuse = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      if (signal?.aborted === true) {
        refuse();
        return;
      }
      const nap = (left: number): void => {
        timer = setTimeout(() => {
          if (left > LONGEST_TIMER) {
            nap(left - LONGEST_TIMER);
            return;
          }
          signal?.removeEventListener('abort', refuse);
          resolve();
        }, clampTimer(left));
      };
      signal?.addEventListener('abort', refuse, { once: true });
      nap(milliseconds);
    }),
  deadline: (milliseconds) => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort(new Error(`no end within ${String(milliseconds)} ms`));
    }, clampTimer(milliseconds));
    return {
      signal: controller.signal,
      cancel: () => {
        clearTimeout(timer);
      },
    };
  },
};

/** Node fires a longer timer at once. 24 days; a longer sleep takes several, a longer deadline ends there. */
const LONGEST_TIMER = 2_147_483_647;

const clampTimer = (milliseconds: number): number => Math.min(Math.max(0, milliseconds), LONGEST_TIMER);
