import type { Clock } from '../core/context.ts';
import type { Milliseconds } from '../core/unit-types.ts';
import { formatDuration } from '../core/units.ts';
import { Ending, type WireAnswer, WireError } from './transport.ts';

/** Ends an exchange in which nothing arrives within a limit, or that the user interrupts. */
export function createWatch(clock: Clock, interrupt: AbortSignal | undefined) {
  const ending = new Ending();
  let cancel = (): void => undefined;
  let tooSlow: string | undefined;
  const abort = (): void => {
    ending.end(new Error('aborted'));
  };
  const limit = (milliseconds: Milliseconds): void => {
    cancel();
    cancel = clock.deadline(milliseconds, () => {
      tooSlow = `nothing arrived within ${formatDuration(milliseconds)}`;
      abort();
    });
  };
  const end = (): void => {
    cancel();
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
        cancel();
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
  return { ending, limit, end, explain, watched };
}
