import type { Clock } from '../../core/context.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** Limits the rate of all requests of one Api after the service has answered 429. */
export interface Throttle {
  /** True when the next request may be sent at once, and requests are not spaced out. Then `acquire` is not needed. */
  readonly isOpen: () => boolean;
  /**
   * Waits until the next request may be sent, and returns the time waited. Returns undefined, without waiting,
   * when the wait would be longer than `maxWaitMs`. Rejects with the signal's reason when it is aborted.
   */
  acquire(maxWaitMs: Milliseconds, signal: AbortSignal): Promise<Milliseconds | undefined>;
  /**
   * Records a 429 for a request that was sent at `acquiredAt` (monotonic). No request is sent for `waitMs`; afterwards
   * they are spaced out.
   */
  pause(waitMs: Milliseconds, acquiredAt: Milliseconds): void;
  /** Records a success: the spacing between requests shrinks. */
  recordSuccess(): void;
}

const MIN_SPACING_MS = 50;
const MAX_SPACING_MS = 2000;

/**
 * A throttle that does nothing until the first 429. From then on all requests wait together, and afterwards they are
 * sent one by one with jitter. The spacing doubles with each further burst of 429s and shrinks with each success. A 429
 * of a request that was already in flight when a burst began belongs to that burst.
 */
export function createThrottle(clock: Clock, random: () => number): Throttle {
  let spacingMs = 0;
  let pausedUntil = 0;
  let nextAt = 0;
  let burstBegan = -Infinity;

  /** Reserves the next free time; by the monotonic clock. */
  const reserve = (): number => {
    const at = Math.max(clock.monotonic(), pausedUntil, nextAt);
    nextAt = at + spacingMs * (0.5 + random());
    return at;
  };

  return {
    // With spacing, each request reserves a time of its own.
    isOpen: () => spacingMs === 0 && burstBegan === -Infinity,
    acquire: async (maxWaitMs, signal) => {
      const start = clock.monotonic();
      let at = reserve();
      while (at > clock.monotonic()) {
        if (at - start > maxWaitMs) return undefined;
        await clock.sleep(at - clock.monotonic(), signal);
        // Another burst may have begun during the wait.
        if (pausedUntil > clock.monotonic()) at = reserve();
      }
      return clock.monotonic() - start;
    },
    pause: (waitMs, acquiredAt) => {
      const now = clock.monotonic();
      pausedUntil = Math.max(pausedUntil, now + waitMs);
      if (acquiredAt <= burstBegan) return;
      burstBegan = now;
      nextAt = pausedUntil;
      spacingMs = Math.min(MAX_SPACING_MS, Math.max(MIN_SPACING_MS, spacingMs * 2));
    },
    recordSuccess: () => {
      spacingMs = spacingMs < MIN_SPACING_MS / 4 ? 0 : spacingMs * 0.9;
    },
  };
}
