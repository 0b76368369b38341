import type { Clock } from '../../../../core/context.ts';
import { createOutageMark, type Outage } from '../../../model/outage.ts';
import type { MonotonicMs } from '../../../model/run-records.ts';
import { isStoreUnavailable } from '../database/failures.ts';

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5000;
const HURRIED_OUTAGE_MS = 10_000;

/** `maxOutageMs` is the time without a success after which an operation fails. */
export function createWriteQueue(clock: Clock, random: () => number, maxOutageMs: number) {
  let tail: Promise<unknown> = Promise.resolve();
  let failingSince: MonotonicMs | undefined;
  let limitMs = maxOutageMs;
  const outage = createOutageMark('the store');
  const hurried = new AbortController();

  const attempt = async <T>(operation: () => Promise<T>): Promise<T> => {
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(MAX_DELAY_MS, 2 * delayMs)) {
      outage.began(clock.monotonic());
      try {
        const result = await operation();
        failingSince = undefined;
        outage.ended();
        return result;
      } catch (error) {
        const now = clock.monotonic();
        const isLast = !isStoreUnavailable(error) || now - (failingSince ??= now) >= limitMs;
        if (isLast) {
          outage.ended();
          throw error;
        }
        outage.failed(error);
      }
      await pause(delayMs * (0.5 + random() / 2));
    }
  };
  const pause = async (milliseconds: number): Promise<void> => {
    const signal = limitMs === HURRIED_OUTAGE_MS ? undefined : hurried.signal;
    await clock.sleep(milliseconds, signal).catch((error: unknown) => {
      if (!hurried.signal.aborted) throw error;
    });
  };
  return {
    /**
     * Runs an operation after all earlier ones. While the store is unavailable, it is repeated: it must have the same
     * effect when it was carried out before. Fails as the operation does, and with unavailable (7) after a long time.
     */
    run: <T>(operation: () => Promise<T>): Promise<T> => {
      const result = tail.then(() => attempt(operation));
      tail = result.catch(() => undefined);
      return result;
    },
    /** Waits for the store for a few seconds only from now on: the run is about to end. */
    hurry: (): void => {
      if (hurried.signal.aborted) return;
      limitMs = HURRIED_OUTAGE_MS;
      failingSince = failingSince === undefined ? undefined : clock.monotonic();
      hurried.abort(new Error('the run is about to end'));
    },
    /** That of the operation that is waited for, if it is one. */
    outage: (): Outage | undefined => outage.current(),
    /** Resolves when no operation is left, whether they failed or not. */
    idle: async (): Promise<void> => {
      for (let last: unknown; last !== tail;) await (last = tail);
    },
  };
}

/** Runs the statements of a driver one after the other, so that records are in the order of events. */
export type WriteQueue = ReturnType<typeof createWriteQueue>;
