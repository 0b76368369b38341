import type { Call } from '../../http/call/operation.ts';
import type { State } from '../../state/state.ts';
import { nextQueueEvent } from '../engine/engine.ts';
import type { EpochMs, Milliseconds } from '../../../core/unit-types.ts';

/** How often the state is read at least: nothing announces a cancel by another caller, or the end of a handler module. */
const POLL_INTERVAL_MS = 50;

/** Reads a result from the state; undefined when there is none yet. */
type ReadResult<T> = (state: State, now: EpochMs) => T | undefined;

/**
 * Polls the state until `read` returns a result. When `timeoutMs` of the service's clock have passed, it returns what
 * `readAtTimeout` returns. Between two polls it sleeps until the next timer of the queues. When the caller has disconnected,
 * it calls `readAtTimeout` only, so that nothing is read for nobody; in a sleep it rejects with the signal's reason.
 */
export async function waitForResult<T>(
  call: Call,
  timeoutMs: Milliseconds,
  read: ReadResult<T>,
  readAtTimeout: ReadResult<T>,
): Promise<T | undefined> {
  let deadline: number | undefined;
  for (;;) {
    const { result, sleepMs } = await call.transact((state, now) => {
      deadline ??= now + timeoutMs;
      const { aborted } = call.signal;
      const timedOut = now >= deadline || aborted;
      const found = (aborted ? undefined : read(state, now)) ?? (timedOut ? readAtTimeout(state, now) : undefined);
      const next = Math.min(deadline, nextQueueEvent(state) ?? deadline);
      const done = timedOut || found !== undefined;
      return { result: found, sleepMs: done ? 0 : Math.min(POLL_INTERVAL_MS, Math.max(1, next - now)) };
    });
    if (sleepMs === 0) return result;
    await call.sleep(sleepMs);
  }
}
