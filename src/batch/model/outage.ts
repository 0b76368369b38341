import { MINUTE_MS } from '../../core/durations.ts';
import { safeText } from '../../core/safe-text.ts';
import type { MonotonicMs } from './run-records.ts';

/** A run waits this long, in milliseconds, for a part of its store before it gives up. */
export const MAX_OUTAGE_MS = 10 * MINUTE_MS;

/** A run waits for a part of its store, and goes on when that can be reached again. */
export interface Outage {
  readonly what: 'the store' | 'the storage of the results';
  /** Since when it has not answered. */
  readonly since: MonotonicMs;
  /** Undefined while the first answer is awaited. */
  readonly reason: string | undefined;
}

/** Follows the attempts to reach a part of a store. */
export function createOutageMark(what: Outage['what']) {
  let since: MonotonicMs | undefined;
  let reason: string | undefined;
  return {
    /** An attempt begins: it may be the first one that gets no answer. */
    began: (at: MonotonicMs): void => {
      since ??= at;
    },
    /** The attempt failed, and another one follows. */
    failed: (error: Error): void => {
      reason = reasonOf(error);
    },
    /** The attempt was answered, or no other one follows. */
    ended: (): void => {
      since = undefined;
      reason = undefined;
    },
    current: (): Outage | undefined => (since === undefined ? undefined : { what, since, reason }),
  };
}

/** What the system or the server said: the address of the store is known. */
function reasonOf(error: Error): string {
  const { cause } = error;
  return safeText(cause instanceof Error && cause.message !== '' ? cause.message : error.message);
}
