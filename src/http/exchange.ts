import type { ApiAnswer } from '../core/api.ts';
import type { Clock } from '../core/context.ts';
import type { Bytes } from '../core/unit-types.ts';
import { formatBytes, formatDuration } from '../core/units.ts';
import { interruptFailure, lost, type LostAnswer, parseAnswer, readBody } from './answer.ts';
import type { Refusal } from './problem.ts';
import { type Call, factsOf } from './request.ts';
import type { TraceEvent } from './trace.ts';
import { Ending, type Transport, type WireAnswer, WireError } from './transport.ts';

export interface Refused extends Refusal {
  readonly kind: 'refused';
}

/** A 2xx answer. What is refused or lost has a kind. */
export interface Done extends Pick<WireAnswer, 'status' | 'headers'> {
  readonly kind?: undefined;
}

/** Its body is not read yet. Its reader ends the exchange. */
export interface OpenAnswer extends WireAnswer {
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
  /** Gets the headers of an answer that tells rate windows. */
  readonly onLimits?: ((headers: Readonly<Record<string, string>>) => void | Promise<void>) | undefined;
  readonly trace?: ((event: TraceEvent) => void) | undefined;
}

const MAX_ERROR_BYTES = 1024 * 1024;

/** Gets a 2xx answer at its head. */
export type Reader<T extends Done> = (answer: WireAnswer, exchange: Exchange) => Promise<T | LostAnswer>;

/** Sends a call once. */
export async function exchangeOnce<T extends Done>(
  call: Call,
  attempt: number,
  options: ExchangeOptions,
  read: Reader<T>,
): Promise<T | Refused | LostAnswer> {
  const { transport, onLimits, trace } = options;
  const { method, url, headers, body } = call;
  trace?.({ kind: 'request', method, url, headers, bytes: body?.byteLength ?? 0, attempt });
  const exchange = new Exchange(call, options);
  let end: T | Refused | LostAnswer;
  try {
    const answer = await transport({ method, url, headers, body, ending: exchange.ending });
    if ((answer.headers['ratelimit'] ?? answer.headers['ratelimit-policy']) !== undefined)
      await onLimits?.(answer.headers);
    const isDone = answer.status >= 200 && answer.status < 300;
    end = await (isDone ? read(answer, exchange) : readRefusal(answer, exchange));
  } catch (error) {
    end = exchange.explain(error);
  } finally {
    if (!exchange.staysOpen) exchange.end();
  }
  if (trace !== undefined) exchange.trace(end);
  return end;
}

/** Lost beyond `maxBytes`, or if `parseAnswer` refuses it. WireError when the body breaks off. */
export const readWhole: Reader<ApiAnswer> = async (answer, exchange) => {
  const { body } = answer;
  const { maxBytes } = exchange.options;
  const encoding = answer.headers['content-encoding'];
  const isWhole = encoding === undefined && Buffer.isBuffer(body) && body.byteLength <= maxBytes;
  const bytes = isWhole ? body : await readBody(body, encoding, maxBytes);
  if (bytes === undefined) return lost(`the answer is larger than ${formatBytes(maxBytes)}`, true);
  exchange.bytes = bytes.byteLength;
  return parseAnswer(answer, bytes, exchange.call.request);
};

/** Its reader ends the exchange. */
export const leaveOpen: Reader<OpenAnswer> = async (answer, exchange) => {
  exchange.staysOpen = true;
  return { ...answer, exchange };
};

const OVER = new Error('the exchange is over');

/** One deadline over the request and its whole answer, which the user's interrupt ends too. */
class Exchange {
  readonly call: Call;
  readonly options: ExchangeOptions;
  readonly ending = new Ending();
  staysOpen = false;
  /** Of the decoded body, for the trace. */
  bytes: Bytes | undefined;
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

  trace(end: Done | Refused | LostAnswer): void {
    const { trace, clock } = this.options;
    const ms = clock.monotonic() - this.#startedAt;
    if (end.kind === 'lost') trace?.({ kind: 'lost', stage: end.stage, reason: end.reason, ms });
    else trace?.({ kind: 'answer', status: end.status, headers: end.headers, bytes: this.bytes, ms });
  }
}

async function readRefusal({ status, headers, body }: WireAnswer, exchange: Exchange): Promise<Refused> {
  // The status is enough: a body that breaks off, is too slow or is damaged adds nothing.
  const bytes = await readBody(body, headers['content-encoding'], MAX_ERROR_BYTES).catch((error: unknown) => {
    exchange.explain(error);
    return undefined;
  });
  exchange.bytes = bytes?.byteLength ?? 0;
  const { key } = exchange.call;
  const text = (bytes?.toString() ?? '').replaceAll(key, '***');
  const location = headers['location']?.replaceAll(key, '***');
  return { kind: 'refused', status, headers: location === undefined ? headers : { ...headers, location }, text };
}
