import type { ApiAnswer, RateWindow } from '../core/api.ts';
import type { Clock } from '../core/context.ts';
import type { Bytes } from '../core/unit-types.ts';
import { formatDuration } from '../core/units.ts';
import { interruptFailure, type LostAnswer, readAnswer, readBody } from './answer.ts';
import type { Refusal } from './problem.ts';
import { type Call, factsOf } from './request.ts';
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
  /** What the interrupt ends. */
  readonly interruptible: Set<Ending>;
  /** Limit for the body of an answer, decompressed. */
  readonly maxBytes: Bytes;
  readonly onWindows?: ((windows: readonly RateWindow[]) => void | Promise<void>) | undefined;
  readonly trace?: ((event: TraceEvent) => void) | undefined;
}

const MAX_ERROR_BYTES = 1024 * 1024;

/** Gets a 2xx answer at its head. */
export type Reader<T> = (answer: WireAnswer, exchange: Exchange) => T | LostAnswer | Promise<T | LostAnswer>;

/** Sends a call once. One function awaits all of it: a batch sends thousands a second. */
export async function exchangeOnce<T extends object>(
  call: Call,
  attempt: number,
  options: ExchangeOptions,
  read: Reader<T>,
): Promise<Done<T> | Refused | LostAnswer> {
  const { transport, clock, onWindows, trace } = options;
  const { method, url, headers, body } = call;
  trace?.({ kind: 'request', method, url, headers: redactHeaders(headers), bytes: body?.byteLength ?? 0, attempt });
  const exchange = new Exchange(call, options);
  try {
    const answer = await transport({ method, url, headers, body, ending: exchange.ending });
    // oxlint-disable-next-line berth/no-wall-clock -- a date, compared with dates of the service
    if (hasWindows(answer.headers)) await onWindows?.(await readWindows(answer.headers, clock.now()));
    if (answer.status < 200 || answer.status >= 300) return await readRefusal(answer, exchange, call);
    const reading = read(answer, exchange);
    const value = reading instanceof Promise ? await reading : reading;
    return 'kind' in value ? value : { kind: 'done', value };
  } catch (error) {
    return exchange.lostBy(error);
  } finally {
    if (!exchange.staysOpen) exchange.end();
  }
}

export const readWhole: Reader<ApiAnswer> = (answer, exchange) => {
  const reading = readAnswer(answer, exchange.call.request, exchange.options.maxBytes);
  return reading instanceof Promise ? reading.then((read) => exchange.traced(read)) : exchange.traced(reading);
};

/** Its reader ends the exchange. */
export const leaveOpen: Reader<OpenAnswer> = (answer, exchange) => {
  exchange.staysOpen = true;
  return { answer, exchange };
};

const OVER = new Error('the exchange is over');

/** One deadline over the request and its whole answer, which the user's interrupt ends too. */
class Exchange {
  readonly call: Call;
  readonly options: ExchangeOptions;
  readonly ending = new Ending();
  staysOpen = false;
  /** For an answer that may take any time. */
  readonly liftDeadline: () => void;
  readonly #startedAt: number;
  #isLate = false;

  constructor(call: Call, options: ExchangeOptions) {
    this.call = call;
    this.options = options;
    this.#startedAt = options.trace === undefined ? 0 : options.clock.monotonic();
    this.liftDeadline = options.clock.deadline(call.deadlineMs, () => {
      this.#isLate = true;
      this.ending.end(new Error('no complete answer within the deadline'));
    });
    options.interruptible.add(this.ending);
  }

  end(): void {
    this.liftDeadline();
    this.options.interruptible.delete(this.ending);
    this.ending.end(OVER);
  }

  lostBy(error: unknown): LostAnswer {
    const lost = this.explain(error);
    this.traceLost(lost);
    return lost;
  }

  /** What an error means for the request. Throws the interrupt, and errors that are not of the wire. */
  explain(error: unknown): LostAnswer {
    const { signal } = this.options;
    if (signal.aborted) throw interruptFailure(signal.reason, error, factsOf(this.call));
    if (!(error instanceof WireError)) throw error;
    const { stage, message, certificate, final, absent } = error;
    if (!this.#isLate) return { kind: 'lost', stage, reason: message, final, certificate, absent };
    const reason = `no complete answer within ${formatDuration(this.call.deadlineMs)}`;
    return { kind: 'lost', stage, reason, final: true };
  }

  traceAnswer(status: number, headers: WireAnswer['headers'], bytes: Bytes | undefined): void {
    this.options.trace?.({ kind: 'answer', status, headers, bytes, ms: this.#elapsedMs() });
  }

  traced(read: ApiAnswer | LostAnswer): ApiAnswer | LostAnswer {
    if ('kind' in read) this.traceLost(read);
    else this.traceAnswer(read.status, read.headers, Buffer.byteLength(read.text));
    return read;
  }

  traceLost({ stage, reason }: LostAnswer): void {
    this.options.trace?.({ kind: 'lost', stage, reason, ms: this.#elapsedMs() });
  }

  #elapsedMs(): number {
    return this.options.clock.monotonic() - this.#startedAt;
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
