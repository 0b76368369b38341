import { asError } from '../../core/failure.ts';

/** How many requests are under way at once: fewer when the service refuses some, more again as it answers. */
export interface RequestSlots {
  /** How many may be under way now. */
  readonly limit: () => number;
  /** Waits for a slot, in the order of the calls. Rejects with the signal's reason when it is aborted. */
  take(signal: AbortSignal): Promise<Slot>;
}

/** One request under way. */
export interface Slot {
  /** The service said that there are too many requests. */
  readonly refused: () => void;
  /** The service carried it out. */
  readonly succeeded: () => void;
  /** Lets another request begin. Does nothing the second time. */
  readonly free: () => void;
}

/**
 * Creates slots for at most `most` requests. The number is halved when a request is refused, once for all those that were under
 * way then, and grows by one for each round of requests that succeed.
 */
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
