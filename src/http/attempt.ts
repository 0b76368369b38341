import type { ApiAnswer, RateWindow } from '../core/api.ts';
import type { Clock } from '../core/context.ts';
import { formatDuration } from '../core/units.ts';
import type { ExchangeWatch, WatchedExchange } from './deadline.ts';
import { interruptFailure, type LostAnswer, readAnswer, readBody } from './answer.ts';
import type { Refusal } from './problem.ts';
import { hasWindows, readWindows } from './throttle.ts';
import type { Call } from './request.ts';
import { redactHeaders, type TraceEvent } from './trace.ts';
import { type Exchange, type SendBuffered, type Transport, type WireAnswer, WireError } from './transport.ts';

export interface Refused extends Refusal {
  readonly kind: 'refused';
}

/** A 2xx answer whose body is not read yet. Its reader ends the exchange. */
export interface OpenAnswer {
  readonly kind: 'open';
  readonly answer: WireAnswer;
  readonly exchange: TracedExchange;
}

export interface Done<T> {
  readonly kind: 'done';
  readonly value: T;
}

export interface AttemptOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly watch: ExchangeWatch;
  /** The user's interrupt; its reason is the Failure that ends the command. */
  readonly signal: AbortSignal;
  /** Limit for the body of an answer, decompressed. */
  readonly maxBytes: number;
  readonly onWindows?: ((windows: readonly RateWindow[]) => void | Promise<void>) | undefined;
  readonly trace?: ((event: TraceEvent) => void) | undefined;
}

export interface Attempts {
  send(call: Call, body: Uint8Array | undefined, attempt: number): Promise<Done<ApiAnswer> | Refused | LostAnswer>;
  /** Stops at the head of a 2xx answer, whose body is a stream. */
  open(call: Call, body: Uint8Array | undefined, attempt: number): Promise<OpenAnswer | Refused | LostAnswer>;
}

const MAX_ERROR_BYTES = 1024 * 1024;

/** The one way in which every request is sent, of single commands and of batches. */
export function createAttempts(options: AttemptOptions): Attempts {
  const { transport, clock, watch, signal, maxBytes, onWindows, trace } = options;
  const buffered = new Map<string, SendBuffered>();

  const openBuffered = async (origin: string): Promise<SendBuffered | undefined> => {
    const send = await transport.openBuffered?.(origin);
    if (send !== undefined) buffered.set(origin, send);
    signal.throwIfAborted();
    return send;
  };

  const begin = (
    call: Call,
    body: Uint8Array | undefined,
    attempt: number,
    send: SendBuffered | undefined,
  ): { readonly sent: Exchange; readonly exchange: TracedExchange } => {
    const { method, url, headers } = call.wire;
    const bytes = body?.byteLength ?? 0;
    trace?.({ kind: 'request', method, url, headers: redactHeaders(headers), bytes, attempt });
    const sent = send === undefined ? stream(transport, call, body) : send(call.wire.buffered, body, maxBytes);
    return { sent, exchange: new TracedExchange(sent, watch.start(sent, call.deadlineMs), call, options) };
  };

  const passWindows = async ({ headers }: WireAnswer): Promise<void> => {
    // eslint-disable-next-line no-restricted-syntax -- a date, compared with dates of the service
    await onWindows?.(await readWindows(headers, clock.now()));
  };

  // A batch sends thousands of requests a second, so one function awaits everything that one request needs.
  return {
    send: async (call, body, attempt) => {
      const { origin } = call.wire.buffered;
      const { sent, exchange } = begin(call, body, attempt, buffered.get(origin) ?? (await openBuffered(origin)));
      try {
        const answer = await sent.answer;
        if (hasWindows(answer.headers)) await passWindows(answer);
        if (!isSuccess(answer)) return await readRefusal(answer, exchange, call);
        const reading = readAnswer(answer, call.request, maxBytes);
        const read = reading instanceof Promise ? await reading : reading;
        if ('kind' in read) {
          exchange.traceLost(read);
          return read;
        }
        if (trace !== undefined) exchange.traceAnswer(read.status, read.headers, Buffer.byteLength(read.text));
        return { kind: 'done', value: read };
      } catch (error) {
        return exchange.lostBy(error);
      } finally {
        exchange.end();
      }
    },
    open: async (call, body, attempt) => {
      const { sent, exchange } = begin(call, body, attempt, undefined);
      let isOpen = false;
      try {
        const answer = await sent.answer;
        if (hasWindows(answer.headers)) await passWindows(answer);
        isOpen = isSuccess(answer);
        return isOpen ? { kind: 'open', answer, exchange } : await readRefusal(answer, exchange, call);
      } catch (error) {
        return exchange.lostBy(error);
      } finally {
        if (!isOpen) exchange.end();
      }
    },
  };
}

const isSuccess = ({ status }: WireAnswer): boolean => status >= 200 && status < 300;

type TraceOptions = Pick<AttemptOptions, 'clock' | 'signal' | 'trace'>;

class TracedExchange {
  readonly #sent: Exchange;
  readonly #watched: WatchedExchange;
  readonly #call: Call;
  readonly #options: TraceOptions;
  readonly #startedAt: number;

  constructor(sent: Exchange, watched: WatchedExchange, call: Call, options: TraceOptions) {
    this.#sent = sent;
    this.#watched = watched;
    this.#call = call;
    this.#options = options;
    this.#startedAt = options.trace === undefined ? 0 : options.clock.monotonic();
  }

  liftDeadline(): void {
    this.#watched.liftDeadline();
  }

  end(): void {
    this.#watched.end();
    this.#sent.close?.();
  }

  /** Says what an error means for the request, and traces it. Throws the interrupt, and errors that are not of the wire. */
  lostBy(error: unknown): LostAnswer {
    const lost = this.explain(error);
    this.traceLost(lost);
    return lost;
  }

  explain(error: unknown): LostAnswer {
    const { signal } = this.#options;
    if (signal.aborted) throw interruptFailure(signal.reason, error, this.#call.facts);
    if (!(error instanceof WireError)) throw error;
    const { stage, message, certificate, final, absent } = error;
    return this.#watched.timedOut
      ? {
          kind: 'lost',
          stage,
          reason: `no complete answer within ${formatDuration(this.#call.deadlineMs)}`,
          final: true,
        }
      : { kind: 'lost', stage, reason: message, final, certificate, absent };
  }

  traceAnswer(status: number, headers: Readonly<Record<string, string>>, bytes: number | undefined): void {
    this.#options.trace?.({ kind: 'answer', status, headers, bytes, ms: this.#elapsedMs() });
  }

  traceLost({ stage, reason }: LostAnswer): void {
    this.#options.trace?.({ kind: 'lost', stage, reason, ms: this.#elapsedMs() });
  }

  #elapsedMs(): number {
    return this.#options.clock.monotonic() - this.#startedAt;
  }
}

function stream(transport: Transport, call: Call, body: Uint8Array | undefined): Exchange {
  const { method, url, headers } = call.wire;
  const controller = new AbortController();
  const abort = (reason: Error): void => {
    controller.abort(reason);
  };
  return {
    answer: transport({ method, url, headers, body, signal: controller.signal }),
    abort,
    close: () => {
      abort(new Error('the exchange is over'));
    },
  };
}

async function readRefusal(answer: WireAnswer, exchange: TracedExchange, call: Call): Promise<Refused> {
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
