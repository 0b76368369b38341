import type { Clock } from '../../core/context.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import { type WireAnswer, WireError } from '../../http/transport.ts';

export class Watched {
  readonly #clock: Clock;
  readonly #signals: readonly AbortSignal[];
  readonly #onEnd: () => void;
  readonly #controller = new AbortController();
  #deadline: { cancel(): void } | undefined;
  #limitMs: Milliseconds | undefined;
  /** Whether the limit was set again since the deadline began. */
  #isRenewed = false;
  #isPaused = false;
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

  /** From now on; replaces the earlier limit. Reuses its deadline, so it may take up to twice as long. */
  limit(milliseconds: Milliseconds): void {
    this.#isPaused = false;
    this.#isRenewed = this.#deadline !== undefined && this.#limitMs === milliseconds;
    if (!this.#isRenewed) this.#begin(milliseconds);
  }

  pause(): void {
    this.#isPaused = true;
  }

  #begin(milliseconds: Milliseconds): void {
    this.#deadline?.cancel();
    this.#limitMs = milliseconds;
    this.#isRenewed = false;
    const deadline = this.#clock.deadline(milliseconds);
    this.#deadline = deadline;
    deadline.signal.addEventListener('abort', () => {
      this.#deadline = undefined;
      if (this.#isPaused) return;
      if (this.#isRenewed) {
        this.#begin(milliseconds);
        return;
      }
      this.#timedOutAfter = milliseconds;
      this.#controller.abort(new Error('too slow'));
    });
  }

  end(): void {
    this.#deadline?.cancel();
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
  timeoutMs: Milliseconds,
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
