import type { Clock } from '../core/context.ts';
import type { State } from './state.ts';

/** The local service's own time: the host's clock plus what `berth local clock advance` has added. */
export interface LocalClock {
  /** The moment a state is at: milliseconds since the epoch, never earlier than it was brought up to before. */
  at(state: State): number;
  /** Sleeps on this time: an advance cuts it short, an abort ends it with the signal's reason. Milliseconds. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export function createLocalClock(host: Clock): LocalClock {
  let offset = 0;
  const sleepers = new Set<() => void>();

  const nap = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
    const controller = new AbortController();
    const wake = (): void => {
      controller.abort(new Error('woken'));
    };
    // Not AbortSignal.any: it would hold on to one signal for every sleep of a long-lived service.
    signal.addEventListener('abort', wake, { once: true });
    sleepers.add(wake);
    try {
      await host.sleep(milliseconds, controller.signal);
    } catch (error) {
      if (!controller.signal.aborted) throw error;
    } finally {
      sleepers.delete(wake);
      signal.removeEventListener('abort', wake);
    }
  };

  return {
    at: (state) => {
      if (state.clockOffsetMs !== offset) {
        offset = state.clockOffsetMs;
        for (const wake of [...sleepers]) wake();
      }
      return Math.max(state.asOf, host.now() + offset);
    },
    sleep: async (milliseconds, signal) => {
      const until = host.now() + offset + milliseconds;
      for (;;) {
        signal.throwIfAborted();
        const left = until - host.now() - offset;
        if (left <= 0) return;
        await nap(left, signal);
      }
    },
  };
}
