import type { Clock } from '../core/context.ts';
import type { Milliseconds } from '../core/unit-types.ts';
import { formatDuration } from '../core/units.ts';
import { type WireAnswer, WireError } from '../http/transport.ts';

/** Ends an exchange in which nothing arrives within a limit, or that the user interrupts. */
export class Watch {
  readonly #clock: Clock;
  readonly #interrupt: AbortSignal | undefined;
  readonly #controller = new AbortController();
  #deadline: { cancel(): void } | undefined;
  #tooSlow: string | undefined;

  constructor(clock: Clock, interrupt: AbortSignal | undefined) {
    [this.#clock, this.#interrupt] = [clock, interrupt];
    interrupt?.addEventListener('abort', this.#abort, { once: true });
    if (interrupt?.aborted === true) this.#abort();
  }

  readonly #abort = (): void => {
    this.#controller.abort(new Error('aborted'));
  };

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on. */
  limit(milliseconds: Milliseconds): void {
    this.pause();
    const deadline = this.#clock.deadline(milliseconds);
    this.#deadline = deadline;
    deadline.signal.addEventListener('abort', () => {
      this.#tooSlow = `nothing arrived within ${formatDuration(milliseconds)}`;
      this.#abort();
    });
  }

  pause(): void {
    this.#deadline?.cancel();
  }

  end(): void {
    this.pause();
    this.#interrupt?.removeEventListener('abort', this.#abort);
  }

  /** Returns why the exchange ended. Throws the reason of an interrupt, and errors that are not of the wire. */
  explain(error: unknown): WireError {
    this.#interrupt?.throwIfAborted();
    if (!(error instanceof WireError)) throw error;
    return this.#tooSlow === undefined ? error : new WireError(error.stage, this.#tooSlow, error);
  }
}

/** Fails with WireError when no chunk arrives in time; its reader may take any time. Calls `onEnd` in any case. */
export async function* watchedBody(
  body: WireAnswer['body'],
  watch: Watch,
  limitMs: Milliseconds,
  onEnd: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    watch.limit(limitMs);
    for await (const chunk of Buffer.isBuffer(body) ? [body] : body) {
      watch.pause();
      yield chunk;
      watch.limit(limitMs);
    }
  } catch (error) {
    throw watch.explain(error);
  } finally {
    watch.end();
    onEnd();
  }
}
