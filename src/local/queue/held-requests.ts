import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import type { Call, Reply } from '../http/operation.ts';
import type { State } from '../state/state.ts';

/** How long a request is held open when there is nothing to answer: less than the silence of a lost worker. */
export const HOLD_MS: Milliseconds = 20_000;

/** Answers a held request inside a step; undefined when there is still nothing to answer. */
type Attempt = (state: State, now: EpochMs) => Reply | undefined;

export interface HeldRequests {
  /** Call it at the end of every step, also of one that fails. */
  answer(state: State, now: EpochMs): void;
  /** Call it in a step, the returned function after it: undefined when time is over or on abort. */
  hold(call: Call, attempt: Attempt): () => Promise<Reply | undefined>;
}

interface Held {
  readonly attempt: Attempt;
  readonly waiting: AbortController;
  reply?: Reply;
}

export function createHeldRequests(): HeldRequests {
  /** Oldest first. */
  const open = new Set<Held>();
  return {
    answer: (state, now) => {
      for (const held of open) {
        const reply = held.attempt(state, now);
        if (reply === undefined) continue;
        open.delete(held);
        held.reply = reply;
        held.waiting.abort();
      }
    },
    hold: (call, attempt) => {
      const held: Held = { attempt, waiting: new AbortController() };
      const end = (): void => {
        open.delete(held);
        held.waiting.abort();
      };
      open.add(held);
      call.signal.addEventListener('abort', end);
      if (call.signal.aborted) end();
      return async () => {
        await call.sleep(HOLD_MS, held.waiting.signal).catch(() => undefined);
        open.delete(held);
        call.signal.removeEventListener('abort', end);
        return held.reply;
      };
    },
  };
}
