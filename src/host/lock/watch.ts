import type { Clock } from '../../core/context.ts';
import { lifeOf, type Identity } from './identity.ts';
import type { Found } from './place.ts';

export interface Heartbeat {
  /** How often a holder changes its owner file. Milliseconds. */
  readonly beatMs: number;
  /**
   * A holder whose life cannot be decided otherwise counts as dead when its file has not changed for so long, by the
   * monotonic clock of whoever watches. The times of files and the clocks of other machines are never used. Milliseconds.
   */
  readonly lapseMs: number;
}

export const HEARTBEAT: Heartbeat = { beatMs: 1000, lapseMs: 10_000 };

/** `silent`: nobody can tell, and it has not changed for the whole lapse; `undecided`: not for that long yet. */
export type Verdict = 'alive' | 'stopped' | 'dead' | 'undecided' | 'silent';

/** Watches the holders of one lock: to be asked again and again. */
export interface Watch {
  verdict(found: Found): Verdict;
}

export function createWatch(clock: Clock, self: Identity, lapseMs: number): Watch {
  let first: string | undefined;
  let last = { text: '', since: 0 };
  return {
    verdict: ({ token, identity, text }) => {
      const life = identity === undefined ? 'unknown' : lifeOf(identity, self);
      if (life !== 'unknown') return life;
      const seen = `${token} ${text}`;
      first ??= seen;
      if (last.text !== seen) last = { text: seen, since: clock.monotonic() };
      if (clock.monotonic() - last.since >= lapseMs) return 'silent';
      return seen === first ? 'undecided' : 'alive';
    },
  };
}
