import type { Clock } from '../core/context.ts';
import { asError } from '../core/failure.ts';
import type { Milliseconds } from '../core/unit-types.ts';

export interface Throttle {
  /** Returns the time waited; undefined at once if it would exceed `maxWaitMs`. Rejects when aborted. */
  acquire(maxWaitMs: Milliseconds, signal: AbortSignal): Promise<Milliseconds | undefined>;
  /** After a 429: no request for `waitMs`, then spaced out. `acquiredAt` is monotonic. */
  pause(waitMs: Milliseconds, acquiredAt: Milliseconds): void;
  recordSuccess(): void;
}

const MIN_SPACING_MS = 50;
const MAX_SPACING_MS = 2000;

/** For the first 429. Another 429 of a request already in flight belongs to the current burst. */
export function createThrottle(clock: Clock, random: () => number): Throttle {
  let spacingMs = 0;
  let pausedUntil = 0;
  let nextAt = 0;
  let burstBegan = -Infinity;

  const reserve = (): number => {
    const at = Math.max(clock.monotonic(), pausedUntil, nextAt);
    nextAt = at + spacingMs * (0.5 + random());
    return at;
  };

  return {
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

/** How many requests are under way at once: fewer when the service refuses some, more again as it answers. */
export interface RequestSlots {
  readonly limit: () => number;
  /** Waits for a slot, in the order of the calls. Rejects with the signal's reason when it is aborted. */
  take(signal: AbortSignal): Promise<Slot>;
}

export interface Slot {
  readonly refused: () => void;
  readonly succeeded: () => void;
  /** Lets another request begin. Does nothing the second time. */
  readonly free: () => void;
}

/** Halved on a refusal, once for all requests then in flight; grows by one for each round of successes. */
export function createRequestSlots(most: number): RequestSlots {
  let limit = most;
  let taken = 0;
  let cuts = 0;
  const waiting: (() => void)[] = [];

  const admit = (): void => {
    while (taken < Math.floor(limit)) {
      const next = waiting.shift();
      if (next === undefined) return;
      taken += 1;
      next();
    }
  };
  const createSlot = (): Slot => {
    const cutsBefore = cuts;
    let isFree = false;
    return {
      refused: () => {
        if (cuts !== cutsBefore) return;
        cuts += 1;
        limit = Math.max(1, limit / 2);
      },
      succeeded: () => {
        limit = Math.min(most, limit + 1 / limit);
        admit();
      },
      free: () => {
        if (isFree) return;
        isFree = true;
        taken -= 1;
        admit();
      },
    };
  };
  return {
    limit: () => Math.floor(limit),
    take: async (signal) => {
      signal.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        const onAbort = (): void => {
          waiting.splice(waiting.indexOf(begin), 1);
          reject(asError(signal.reason));
        };
        const begin = (): void => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        };
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.push(begin);
        admit();
      });
      return createSlot();
    },
  };
}
