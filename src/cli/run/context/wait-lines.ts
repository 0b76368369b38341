import type { Clock } from '../../../core/context.ts';
import type { Progress } from '../../model/context.ts';

/** How long a wait is silent, and how often it says something after that. */
const FIRST_AFTER_MS = 10_000;
const EVERY_MS = 30_000;

/**
 * The progress of a wait where there is no terminal: a line after 10 s and one every 30 s, so that a build log shows that
 * the wait goes on. A line that cannot be written does not end the wait.
 */
export function openWaitLines(clock: Pick<Clock, 'monotonic'>, say: (text: string) => Promise<void>): Progress {
  let next = clock.monotonic() + FIRST_AFTER_MS;
  let said = Promise.resolve();
  return {
    update: (text) => {
      const now = clock.monotonic();
      if (now < next) return;
      next = now + EVERY_MS;
      said = said.then(() => say(text)).catch(() => undefined);
    },
    stop: () => said,
  };
}
