import type { Clock } from '../core/context.ts';
import type { Milliseconds } from '../core/unit-types.ts';
import { formatDuration } from '../core/units.ts';
import { type WireAnswer, WireError } from '../http/transport.ts';

/** Ends an exchange in which nothing arrives within a limit, or that the user interrupts. */
export function createWatch(clock: Clock, interrupt: AbortSignal | undefined) {
  const controller = new AbortController();
  let deadline: { cancel(): void } | undefined;
  let tooSlow: string | undefined;
  const abort = (): void => {
    controller.abort(new Error('aborted'));
  };
  const limit = (milliseconds: Milliseconds): void => {
    deadline?.cancel();
    const from = clock.deadline(milliseconds);
    deadline = from;
    from.signal.addEventListener('abort', () => {
      tooSlow = `nothing arrived within ${formatDuration(milliseconds)}`;
      abort();
    });
  };
  const end = (): void => {
    deadline?.cancel();
    interrupt?.removeEventListener('abort', abort);
  };
  /** Why the exchange ended. Throws the reason of an interrupt, and errors that are not of the wire. */
  const explain = (error: unknown): WireError => {
    interrupt?.throwIfAborted();
    if (!(error instanceof WireError)) throw error;
    return tooSlow === undefined ? error : new WireError(error.stage, tooSlow, error);
  };
  /** Fails with WireError when no chunk arrives in time; its reader may take any time. */
  async function* watched(body: WireAnswer['body'], limitMs: Milliseconds, onEnd: () => void) {
    try {
      limit(limitMs);
      for await (const chunk of Buffer.isBuffer(body) ? [body] : body) {
        deadline?.cancel();
        yield chunk as Uint8Array;
        limit(limitMs);
      }
    } catch (error) {
      throw explain(error);
    } finally {
      end();
      onEnd();
    }
  }
  interrupt?.addEventListener('abort', abort, { once: true });
  if (interrupt?.aborted === true) abort();
  return { signal: controller.signal, limit, end, explain, watched };
}
