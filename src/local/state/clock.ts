import type { Clock } from '../../core/context.ts';
import type { State } from './state.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';

export function advanceClock(state: State, milliseconds: Milliseconds): void {
  state.clockOffsetMs += milliseconds;
  state.asOf += milliseconds;
}

interface Anchor {
  readonly generation: string;
  /** The time at `monotonic`, without the advances; not rounded, so that short steps add up. */
  readonly base: number;
  readonly monotonic: number;
}

/** Monotonic: setting the wall clock changes nothing; `berth local clock advance` moves it forward. */
export function createLocalClock(host: Clock) {
  let anchor: Anchor | undefined;
  let offset = 0;
  /** Milliseconds of advances since this clock was created. */
  let skipped = 0;
  const sleepers = new Set<() => void>();

  const baseNow = (known: Anchor): number => known.base + host.monotonic() - known.monotonic;

  const baseOf = (state: State): number => {
    const saved = state.asOf - state.clockOffsetMs;
    // Another process may have advanced the time, never set it back.
    if (anchor?.generation === state.generation) return Math.max(baseNow(anchor), saved);
    // oxlint-disable-next-line berth/no-wall-clock -- a date: it is compared between processes
    return saved + Math.max(0, host.now() - state.wallAt);
  };

  const setOffset = (next: number): void => {
    if (next === offset) return;
    skipped += Math.max(0, next - offset);
    offset = next;
    for (const wake of [...sleepers]) wake();
  };

  const sleepUntilWoken = async (milliseconds: Milliseconds, signal: AbortSignal): Promise<void> => {
    const controller = new AbortController();
    const wake = (): void => {
      controller.abort(new Error('the sleep was interrupted'));
    };
    // Not AbortSignal.any: a long-lived service would keep one signal in memory for every sleep.
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
    /** Never goes back, except after a reset. Time between processes comes from the wall clock. */
    update: (state: State): EpochMs => {
      const base = baseOf(state);
      anchor = { generation: state.generation, base, monotonic: host.monotonic() };
      setOffset(state.clockOffsetMs);
      state.asOf = Math.max(state.asOf, Math.floor(base) + offset);
      // oxlint-disable-next-line berth/no-wall-clock -- a date: it is compared between processes
      state.wallAt = host.now();
      return state.asOf;
    },
    // oxlint-disable-next-line berth/no-wall-clock -- a date: it is compared between processes
    now: (): EpochMs => (anchor === undefined ? host.now() : Math.floor(baseNow(anchor)) + offset),
    /** An advance shortens it, an abort rejects with the signal's reason. */
    sleep: async (milliseconds: Milliseconds, signal: AbortSignal): Promise<void> => {
      const until = host.monotonic() + skipped + milliseconds;
      for (;;) {
        signal.throwIfAborted();
        const left = until - host.monotonic() - skipped;
        if (left <= 0) return;
        await sleepUntilWoken(left, signal);
      }
    },
  };
}
