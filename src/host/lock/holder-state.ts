import { stateOf, type Identity } from './process-identity.ts';
import type { LockHolder } from './lock-directory.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

export interface Heartbeat {
  /** How often a holder changes its owner file. */
  readonly intervalMs: Milliseconds;
  /**
   * A holder whose state is unknown counts as dead when its file did not change for this time, measured by the monotonic
   * clock of the observer. File times and the clocks of other machines are never used.
   */
  readonly timeoutMs: Milliseconds;
}

export const HEARTBEAT: Heartbeat = { intervalMs: 1000, timeoutMs: 10_000 };

/** `silent`: of unknown state, and without a heartbeat for the whole timeout; `undecided`: not for that long yet. */
export type HolderState = 'alive' | 'stopped' | 'dead' | 'undecided' | 'silent';

/**
 * Returns a function that decides whether the holder of one lock is alive. It is called after every poll, with the holder found
 * and the monotonic time before the poll.
 */
export function createHeartbeatMonitor(
  self: Identity,
  { intervalMs, timeoutMs }: Heartbeat,
): (found: LockHolder, polledAt: Milliseconds) => HolderState {
  let first: string | undefined;
  let last = { text: '', polledAt: 0, silentMs: 0 };
  return ({ token, identity, text }, polledAt) => {
    const state = identity === undefined ? 'unknown' : stateOf(identity, self);
    if (state !== 'unknown') return state;
    const current = `${token} ${text}`;
    first ??= current;
    // A long gap between polls means that this process or its machine was suspended. The holder may have been
    // suspended too, so a gap counts as one interval at most.
    const silentMs = last.text === current ? last.silentMs + Math.min(intervalMs, polledAt - last.polledAt) : 0;
    last = { text: current, polledAt, silentMs };
    if (silentMs >= timeoutMs) return 'silent';
    return current === first ? 'undecided' : 'alive';
  };
}
