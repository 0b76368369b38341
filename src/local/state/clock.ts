import type { Clock } from '../../core/context.ts';
import type { State } from './state.ts';

/**
 * The local service's own time: milliseconds since the epoch. It goes on at the pace of the monotonic clock, so that a
 * wall clock that is set forward or back changes nothing while a process runs, and `berth local clock advance` moves it.
 */
export interface LocalClock {
  /**
   * The time of a state, and notes it in the state. Between processes the time goes on by what the wall clock says has
   * passed since the state was last used; where the wall clock went back meanwhile, from where it was. It never goes
   * back, except that a state after a reset begins with its own time.
   */
  bringUp(state: State): number;
  /** The time now, of the state that was brought up last; before the first, the wall clock. */
  now(): number;
  /** Sleeps on this time: an advance cuts it short, an abort ends it with the signal's reason. Milliseconds. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Moves a state's time forward. Milliseconds. */
export function advanceClock(state: State, milliseconds: number): void {
  state.clockOffsetMs += milliseconds;
  state.asOf += milliseconds;
}

/** What this process knows of a state's time. */
interface Anchor {
  readonly generation: string;
  /** The time without what advances added, at the moment `monotonic`; with fractions, so that short steps add up. */
  readonly base: number;
  readonly monotonic: number;
}

/** A local clock over the host's. One for each service. */
export function createLocalClock(host: Clock): LocalClock {
  let anchor: Anchor | undefined;
  let offset = 0;
  /** What advances have added while this clock was there: milliseconds. */
  let skipped = 0;
  const sleepers = new Set<() => void>();

  const baseNow = (known: Anchor): number => known.base + host.monotonic() - known.monotonic;

  const baseOf = (state: State): number => {
    const saved = state.asOf - state.clockOffsetMs;
    // Another process may have gone further, never back.
    if (anchor?.generation === state.generation) return Math.max(baseNow(anchor), saved);
    // eslint-disable-next-line no-restricted-syntax -- a date: it is compared between processes
    return saved + Math.max(0, host.now() - state.wallAt);
  };

  const setOffset = (next: number): void => {
    if (next === offset) return;
    skipped += Math.max(0, next - offset);
    offset = next;
    for (const wake of [...sleepers]) wake();
  };

  const nap = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
    const controller = new AbortController();
    const wake = (): void => {
      controller.abort(new Error('woken'));
    };
    // Not AbortSignal.any: it would hold on to one signal for every sleep of a long-lived service.
    signal.addEventListener('abort', wake, { once: true });
    sleepers.add(wake);
    try {
      await host.sleep(milliseconds, controller.signal);
    } catch (error) {
      if (!controller.signal.aborted) throw error;
    } finally {
      sleepers.delete(wake);
      signal.removeEventListener('abort', wake);
    }
  };

  return {
    bringUp: (state) => {
      const base = baseOf(state);
      anchor = { generation: state.generation, base, monotonic: host.monotonic() };
      setOffset(state.clockOffsetMs);
      state.asOf = Math.max(state.asOf, Math.floor(base) + offset);
      // eslint-disable-next-line no-restricted-syntax -- a date: it is compared between processes
      state.wallAt = host.now();
      return state.asOf;
    },
    // eslint-disable-next-line no-restricted-syntax -- a date: it is compared between processes
    now: () => (anchor === undefined ? host.now() : Math.floor(baseNow(anchor)) + offset),
    sleep: async (milliseconds, signal) => {
      const until = host.monotonic() + skipped + milliseconds;
      for (;;) {
        signal.throwIfAborted();
        const left = until - host.monotonic() - skipped;
        if (left <= 0) return;
        await nap(left, signal);
      }
    },
  };
}
