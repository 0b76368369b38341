import type { Clock } from '../core/context.ts';
import { formatDuration } from '../core/units.ts';
import type { Milliseconds } from '../core/unit-types.ts';

/** An exchange that ends when a part of it takes too long. */
export interface TimedExchange {
  readonly signal: AbortSignal;
  /** Fails with WireError when the promise takes longer than the timeout. */
  inTime<T>(promise: Promise<T>): Promise<T>;
  close(): void;
}

/** What an exchange is limited by. */
export interface ExchangeLimits {
  readonly clock: Pick<Clock, 'deadline'>;
  /** The user's interrupt. */
  readonly signal: AbortSignal;
  /** The time in which each part must come. */
  readonly timeoutMs: Milliseconds;
}

/** Opens an exchange that the user's interrupt ends too. To be closed in any case. */
export function openExchange({ clock, signal, timeoutMs }: ExchangeLimits): TimedExchange {
  const controller = new AbortController();
  const onInterrupt = (): void => {
    controller.abort(signal.reason);
  };
  signal.addEventListener('abort', onInterrupt, { once: true });
  if (signal.aborted) onInterrupt();
  return {
    signal: controller.signal,
    inTime: async (promise) => {
      const deadline = clock.deadline(timeoutMs);
      const onTimeout = (): void => {
        controller.abort(new Error(`nothing came for ${formatDuration(timeoutMs)}`));
      };
      deadline.signal.addEventListener('abort', onTimeout, { once: true });
      try {
        return await promise;
      } finally {
        deadline.cancel();
      }
    },
    close: () => {
      signal.removeEventListener('abort', onInterrupt);
      controller.abort(new Error('the exchange is over'));
    },
  };
}
