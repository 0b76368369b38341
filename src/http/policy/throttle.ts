import type { Clock } from '../../core/context.ts';

/** One pace for all requests in flight to one service. */
export interface Pace {
  /**
   * Waits until another request may go out, and gives the milliseconds waited. Gives undefined, without waiting, where
   * that would be longer than `patienceMs`. An abort of the signal rejects with its reason.
   */
  admit(patienceMs: number, signal: AbortSignal): Promise<number | undefined>;
  /** The service said 429 to a request admitted at `admittedAt` (monotonic): nothing goes out for `waitMs`, then less at a time. */
  slow(waitMs: number, admittedAt: number): void;
  /** The service took a request: the gaps between requests shrink. */
  eased(): void;
}

const FIRST_GAP_MS = 50;
const WIDEST_GAP_MS = 2000;

/**
 * A pace that stands in nobody's way until the service says 429. Then every request waits together, and afterwards
 * they go out one by one with a jittered gap that doubles with each further storm and shrinks with each success. The
 * 429s of requests that were already in flight when a storm began belong to that storm.
 */
export function createPace(clock: Clock, random: () => number): Pace {
  let gapMs = 0;
  let closedUntil = 0;
  let nextAt = 0;
  let stormBegan = -Infinity;

  /** Takes the next free place in the line; by the monotonic clock. */
  const place = (): number => {
    const at = Math.max(clock.monotonic(), closedUntil, nextAt);
    nextAt = at + gapMs * (0.5 + random());
    return at;
  };

  return {
    admit: async (patienceMs, signal) => {
      const start = clock.monotonic();
      let at = place();
      while (at > clock.monotonic()) {
        if (at - start > patienceMs) return undefined;
        await clock.sleep(at - clock.monotonic(), signal);
        // Another storm may have come meanwhile.
        if (closedUntil > clock.monotonic()) at = place();
      }
      return clock.monotonic() - start;
    },
    slow: (waitMs, admittedAt) => {
      const now = clock.monotonic();
      closedUntil = Math.max(closedUntil, now + waitMs);
      if (admittedAt <= stormBegan) return;
      stormBegan = now;
      nextAt = closedUntil;
      gapMs = Math.min(WIDEST_GAP_MS, Math.max(FIRST_GAP_MS, gapMs * 2));
    },
    eased: () => {
      gapMs = gapMs < FIRST_GAP_MS / 4 ? 0 : gapMs * 0.9;
    },
  };
}
