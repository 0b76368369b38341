import { lifeOf, type Identity } from './process-identity.ts';
import type { Found } from './lock-directory.ts';

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

/** Watches the holders of one lock: to be asked after every look, with the monotonic time before it. */
export interface Watch {
  verdict(found: Found, lookedAt: number): Verdict;
}

export function createWatch(self: Identity, { beatMs, lapseMs }: Heartbeat): Watch {
  let first: string | undefined;
  let last = { text: '', lookedAt: 0, silentMs: 0 };
  return {
    verdict: ({ token, identity, text }, lookedAt) => {
      const life = identity === undefined ? 'unknown' : lifeOf(identity, self);
      if (life !== 'unknown') return life;
      const seen = `${token} ${text}`;
      first ??= seen;
      // While this process is stopped or its machine is suspended, the holder may be too: such a gap counts as one beat.
      const silentMs = last.text === seen ? last.silentMs + Math.min(beatMs, lookedAt - last.lookedAt) : 0;
      last = { text: seen, lookedAt, silentMs };
      if (silentMs >= lapseMs) return 'silent';
      return seen === first ? 'undecided' : 'alive';
    },
  };
}
