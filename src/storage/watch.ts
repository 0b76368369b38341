import type { Clock } from '../core/context.ts';
import type { Milliseconds } from '../core/unit-types.ts';
import { formatDuration } from '../core/units.ts';
import { type WireAnswer, WireError } from '../http/transport.ts';

/** Ends an exchange in which nothing arrives within a limit (or up to twice as long), or that the user interrupts. */
export class Watch {
  readonly #clock: Clock;
  readonly #interrupt: AbortSignal | undefined;
  readonly #onEnd: () => void;
  readonly #controller = new AbortController();
  #deadline: { cancel(): void } | undefined;
  #limitMs: Milliseconds = 0;
  #hasMoved = false;
  #isPaused = false;
  #isTooSlow = false;
  readonly #onInterrupt = (): void => {
    this.#controller.abort(new Error('aborted'));
  };

  constructor(clock: Clock, interrupt: AbortSignal | undefined, onEnd: () => void) {
    this.#clock = clock;
    this.#interrupt = interrupt;
    this.#onEnd = onEnd;
    interrupt?.addEventListener('abort', this.#onInterrupt, { once: true });
    if (interrupt?.aborted === true) this.#onInterrupt();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on. */
  limit(milliseconds: Milliseconds): void {
    this.#deadline?.cancel();
    [this.#limitMs, this.#hasMoved, this.#isPaused] = [milliseconds, false, false];
    const deadline = this.#clock.deadline(milliseconds);
    this.#deadline = deadline;
    deadline.signal.addEventListener('abort', () => {
      if (this.#isPaused) this.#deadline = undefined;
      else if (this.#hasMoved) this.limit(milliseconds);
      else {
        this.#isTooSlow = true;
        this.#controller.abort(new Error('too slow'));
      }
    });
  }

  /** Something arrived, and its reader may take any time. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    [this.#hasMoved, this.#isPaused] = [true, false];
    if (this.#deadline === undefined) this.limit(this.#limitMs);
  }

  end(): void {
    this.#deadline?.cancel();
    this.#onEnd();
    this.#interrupt?.removeEventListener('abort', this.#onInterrupt);
  }

  /** Returns why the exchange ended. Throws the reason of an interrupt, and errors that are not of the wire. */
  explain(error: unknown): WireError {
    this.#interrupt?.throwIfAborted();
    if (!(error instanceof WireError)) throw error;
    return this.#isTooSlow
      ? new WireError(error.stage, `nothing arrived within ${formatDuration(this.#limitMs)}`, error)
      : error;
  }
}

/** Fails with WireError when no chunk arrives in time, and ends the exchange in any case. */
export async function* watchedBody(
  body: WireAnswer['body'],
  watch: Watch,
  limitMs: Milliseconds,
): AsyncGenerator<Uint8Array> {
  try {
    watch.limit(limitMs);
    for await (const chunk of Buffer.isBuffer(body) ? [body] : body) {
      watch.pause();
      yield chunk;
      watch.resume();
    }
  } catch (error) {
    throw watch.explain(error);
  } finally {
    watch.end();
  }
}
