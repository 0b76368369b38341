import type { ApiAnswer, RateWindow } from '../core/api.ts';
import type { Clock } from '../core/context.ts';
import type { Bytes } from '../core/unit-types.ts';
import { asError } from '../core/failure.ts';
import { formatDuration } from '../core/units.ts';
import { interruptFailure, type LostAnswer, readAnswer, readBody } from './answer.ts';
import type { Refusal } from './problem.ts';
import type { Call } from './request.ts';
import { hasWindows, readWindows } from './throttle.ts';
import { redactHeaders, type TraceEvent } from './trace.ts';
import { Ending, type Transport, type WireAnswer, WireError } from './transport.ts';

export interface Done<T> {
  readonly kind: 'done';
  readonly value: T;
}

export interface Refused extends Refusal {
  readonly kind: 'refused';
}

/** A 2xx answer whose body is not read yet. Its reader ends the exchange. */
export interface OpenAnswer {
  readonly answer: WireAnswer;
  readonly exchange: Exchange;
}

export interface ExchangeOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** The user's interrupt; its reason is the Failure that ends the command. */
  readonly signal: AbortSignal;
  /** Limit for the body of an answer, decompressed. */
  readonly maxBytes: Bytes;
  readonly onWindows?: ((windows: readonly RateWindow[]) => void | Promise<void>) | undefined;
  readonly trace?: ((event: TraceEvent) => void) | undefined;
}

const MAX_ERROR_BYTES = 1024 * 1024;

export async function exchangeAll(
  call: Call,
  attempt: number,
  options: ExchangeOptions,
): Promise<Done<ApiAnswer> | Refused | LostAnswer> {
  const opened = await openExchange(call, attempt, options);
  if (opened.kind !== 'done') return opened;
  const { answer, exchange } = opened.value;
  try {
    const read = await readAnswer(answer, call.request, options.maxBytes);
    if ('kind' in read) {
      exchange.traceLost(read);
      return read;
    }
    exchange.traceAnswer(read.status, read.headers, Buffer.byteLength(read.text));
    return { kind: 'done', value: read };
  } catch (error) {
    return exchange.lostBy(error);
  } finally {
    exchange.end(Buffer.isBuffer(answer.body));
  }
}

/** Stops at the head of a 2xx answer. */
export async function openExchange(
  call: Call,
  attempt: number,
  options: ExchangeOptions,
): Promise<Done<OpenAnswer> | Refused | LostAnswer> {
  const { transport, clock, onWindows, trace } = options;
  const { method, url, headers, body } = call;
  trace?.({ kind: 'request', method, url, headers: redactHeaders(headers), bytes: body?.byteLength ?? 0, attempt });
  const exchange = new Exchange(call, options);
  let isOpen = false;
  try {
    const answer = await transport({ method, url, headers, body, ending: exchange.ending });
    // oxlint-disable-next-line berth/no-wall-clock -- a date, compared with dates of the service
    if (hasWindows(answer.headers)) await onWindows?.(await readWindows(answer.headers, clock.now()));
    isOpen = answer.status >= 200 && answer.status < 300;
    return isOpen ? { kind: 'done', value: { answer, exchange } } : await readRefusal(answer, exchange, call);
  } catch (error) {
    return exchange.lostBy(error);
  } finally {
    if (!isOpen) exchange.end();
  }
}

/** One deadline over the request and its whole answer, which the user's interrupt ends too. */
class Exchange {
  readonly #call: Call;
  readonly #options: ExchangeOptions;
  readonly #startedAt: number;
  /** For an answer that may take any time. */
  readonly liftDeadline: () => void;
  #isLate = false;
  readonly ending = new Ending();
  readonly #onInterrupt = (): void => {
    this.ending.end(asError(this.#options.signal.reason));
  };

  constructor(call: Call, options: ExchangeOptions) {
    this.#call = call;
    this.#options = options;
    this.#startedAt = options.clock.monotonic();
    this.liftDeadline = options.clock.deadline(call.deadlineMs, () => {
      this.#isLate = true;
      this.ending.end(new Error('no complete answer within the deadline'));
    });
    options.signal.addEventListener('abort', this.#onInterrupt);
    if (options.signal.aborted) this.#onInterrupt();
  }

  /** `isWhole`: all of the answer came. */
  end(isWhole = false): void {
    this.liftDeadline();
    this.#options.signal.removeEventListener('abort', this.#onInterrupt);
    if (!isWhole) this.ending.end(new Error('the exchange is over'));
  }

  lostBy(error: unknown): LostAnswer {
    const lost = this.explain(error);
    this.traceLost(lost);
    return lost;
  }

  /** What an error means for the request. Throws the interrupt, and errors that are not of the wire. */
  explain(error: unknown): LostAnswer {
    const { signal } = this.#options;
    if (signal.aborted) throw interruptFailure(signal.reason, error, this.#call.facts);
    if (!(error instanceof WireError)) throw error;
    const { stage, message, certificate, final, absent } = error;
    if (!this.#isLate) return { kind: 'lost', stage, reason: message, final, certificate, absent };
    const reason = `no complete answer within ${formatDuration(this.#call.deadlineMs)}`;
    return { kind: 'lost', stage, reason, final: true };
  }

  traceAnswer(status: number, headers: WireAnswer['headers'], bytes: Bytes | undefined): void {
    this.#options.trace?.({ kind: 'answer', status, headers, bytes, ms: this.#elapsedMs() });
  }

  traceLost({ stage, reason }: LostAnswer): void {
    this.#options.trace?.({ kind: 'lost', stage, reason, ms: this.#elapsedMs() });
  }

  #elapsedMs(): number {
    return this.#options.clock.monotonic() - this.#startedAt;
  }
}

async function readRefusal(answer: WireAnswer, exchange: Exchange, call: Call): Promise<Refused> {
  const { status, headers } = answer;
  // The status is enough: a body that breaks off, is too slow or is damaged adds nothing.
  const body = await readBody(answer.body, headers['content-encoding'], MAX_ERROR_BYTES).catch((error: unknown) => {
    exchange.explain(error);
    return undefined;
  });
  exchange.traceAnswer(status, headers, body?.byteLength ?? 0);
  const hide = (text: string): string => (call.key === undefined ? text : text.replaceAll(call.key, '***'));
  const location = headers['location'];
  return {
    kind: 'refused',
    status,
    headers: location === undefined ? headers : { ...headers, location: hide(location) },
    text: hide(body?.toString() ?? ''),
  };
}
