import type { Clock } from '../../core/context.ts';
import { formatDuration } from '../../core/units.ts';
import { WireError, type WireAnswer } from '../../http/message/transport.ts';

/** One exchange with the time it may take and the signals that end it. */
export class Watched {
  readonly #clock: Clock;
  readonly #signals: readonly AbortSignal[];
  readonly #onEnd: () => void;
  readonly #controller = new AbortController();
  #deadline: { cancel(): void } | undefined;
  #timedOutAfter: number | undefined;
  readonly #onAbort = (): void => {
    this.#controller.abort(new Error('aborted'));
  };

  /** `onEnd` is called when the exchange has ended, and also when it cannot begin. */
  constructor(clock: Clock, signals: readonly AbortSignal[], onEnd: () => void) {
    this.#clock = clock;
    this.#signals = signals;
    this.#onEnd = onEnd;
    for (const each of signals) {
      if (each.aborted) onEnd();
      each.throwIfAborted();
      each.addEventListener('abort', this.#onAbort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the exchange after this many milliseconds from now on; replaces the earlier limit. */
  limit(milliseconds: number): void {
    this.pause();
    const deadline = this.#clock.deadline(milliseconds);
    this.#deadline = deadline;
    deadline.signal.addEventListener('abort', () => {
      this.#timedOutAfter = milliseconds;
      this.#controller.abort(new Error('too slow'));
    });
  }

  pause(): void {
    this.#deadline?.cancel();
  }

  end(): void {
    this.pause();
    this.#onEnd();
    for (const each of this.#signals) each.removeEventListener('abort', this.#onAbort);
  }

  /** Returns why the exchange ended. Throws the reason of a signal, and errors that are not of the wire. */
  explain(error: unknown): WireError {
    for (const each of this.#signals) each.throwIfAborted();
    if (!(error instanceof WireError)) throw error;
    return this.#timedOutAfter === undefined
      ? error
      : new WireError(error.stage, `nothing arrived within ${formatDuration(this.#timedOutAfter)}`, error);
  }
}

/** Yields the body. Fails with WireError when no chunk arrives in time, and ends the exchange in any case. */
export async function* watchedBody(
  body: WireAnswer['body'],
  exchange: Watched,
  timeoutMs: number,
): AsyncGenerator<Uint8Array> {
  try {
    exchange.limit(timeoutMs);
    for await (const chunk of Buffer.isBuffer(body) ? [body] : body) {
      // The reader may take any time.
      exchange.pause();
      yield chunk;
      exchange.limit(timeoutMs);
    }
  } catch (error) {
    throw exchange.explain(error);
  } finally {
    exchange.end();
  }
}
