import type { Call } from '../../frame/operation.ts';
import type { State } from '../../state/state.ts';
import { nextQueueEvent } from '../engine/engine.ts';

/** Nobody announces another caller's cancel or a handler module's end: look again at least so often. Milliseconds. */
const LOOK_MS = 50;

/** What one look found; `undefined` where there is nothing yet. */
export type Look<T> = (state: State, now: number) => T | undefined;

/**
 * Looks at the state until there is something or `budgetMs` of the local service's clock have passed; then gives what
 * `atLast` says. Ends early where the caller hangs up. Sleeps from one thing to the next that changes by itself.
 */
export async function waitFor<T>(call: Call, budgetMs: number, look: Look<T>, atLast: Look<T>): Promise<T | undefined> {
  let deadline: number | undefined;
  for (;;) {
    const { found, sleepMs } = await call.transact((state, now) => {
      deadline ??= now + budgetMs;
      const over = now >= deadline || call.signal.aborted;
      const seen = look(state, now) ?? (over ? atLast(state, now) : undefined);
      const next = Math.min(deadline, nextQueueEvent(state) ?? deadline);
      return { found: seen, sleepMs: over || seen !== undefined ? 0 : Math.min(LOOK_MS, Math.max(1, next - now)) };
    });
    if (sleepMs === 0) return found;
    await call.sleep(sleepMs);
  }
}
