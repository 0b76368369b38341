import type { Clock } from '../core/context.ts';
import { Failure, messageOf } from '../core/failure.ts';
import type { Bytes, Milliseconds } from '../core/unit-types.ts';
import { parseDocument, type XmlElement } from '../core/xml.ts';
import { readBody } from '../http/answer.ts';
import { decideRetry, mayBeLost, readRetryAfter } from '../http/retry.ts';
import { createRequestSlots } from '../http/throttle.ts';
import type { TraceEvent } from '../http/trace.ts';
import { type Transport, type WireAnswer, WireError, type WireRequest } from '../http/transport.ts';
import { createWatch } from '../http/watch.ts';
import { type FailedAttempt, lostAttempt, pageAttempt, refusedAttempt, unreadable } from './failures.ts';
import { pathOf, type S3Connection, sha256, signRequest, UNSIGNED } from './sign.ts';

export interface S3ClientOptions {
  readonly transport: Transport;
  readonly connection: S3Connection;
  readonly clock: Clock;
  readonly random: () => number;
  /** The user's interrupt. */
  readonly signal: AbortSignal;
  readonly retries: number;
  /** The time until the head of an answer, and between two chunks of its body. */
  readonly timeoutMs: Milliseconds;
  readonly userAgent: string;
  readonly trace?: ((event: TraceEvent) => void) | undefined;
}

/** A stream is read again for each attempt. */
export type SentBody = Uint8Array | { readonly byteLength: Bytes; readonly chunks: () => AsyncIterable<Uint8Array> };

/** Every request may be repeated. */
export interface S3Request {
  /** For messages: `cannot WHAT`. */
  readonly what: string;
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Empty for the bucket. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: SentBody;
  /** The answer is large. */
  readonly isLarge?: boolean;
  readonly take?: WireRequest['take'];
  /** Statuses that are no failure. */
  readonly handled?: readonly number[];
  /** The names that the root of an XML answer may have. */
  readonly roots?: readonly string[];
  /** Why an answer of success counts as lost. */
  readonly check?: (answer: S3Answer) => string | undefined;
  /** How many times as long as for other requests the head of the answer may take. */
  readonly patience?: number;
  /** Asked before a retry of a request that may have been carried out. True: the answer is 204. */
  readonly isDone?: () => Promise<boolean>;
  /** For a request that cleans up. */
  readonly evenIfInterrupted?: boolean;
}

export interface S3Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly document?: XmlElement | undefined;
}

/** Requests under way at once, and how many of them may be large: fewer after 429 and 503. */
const [AT_ONCE, LARGE_AT_ONCE] = [64, 16];
export const LARGE_BYTES: Bytes = 1024 * 1024;

const MAX_TOTAL_WAIT_MS = 120_000;

/** A listing has at most 1000 keys of 1024 bytes, each byte encoded as three. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Bytes per millisecond. */
const SLOWEST_UPLOAD = 64;

export const NO_BYTES = new Uint8Array(0);

export const isFailed = (answer: object): answer is FailedAttempt => 'kind' in answer;

export class S3Client {
  /** How far the clock of the service is ahead of this machine's, to the second. */
  aheadMs: Milliseconds = 0;
  readonly bucket: string;
  readonly signal: AbortSignal;
  readonly #options: S3ClientOptions;
  readonly #slots = createRequestSlots(AT_ONCE);
  readonly #large = createRequestSlots(LARGE_AT_ONCE);

  constructor(options: S3ClientOptions) {
    this.#options = options;
    this.bucket = options.connection.bucket;
    this.signal = options.signal;
  }

  address(key: string): string {
    return `s3://${this.bucket}/${key}`;
  }

  sleep(milliseconds: Milliseconds): Promise<void> {
    return this.#options.clock.sleep(milliseconds, this.signal);
  }

  /** Sends a request with retries and reads all of the answer. */
  async send(request: S3Request): Promise<S3Answer> {
    const retry = this.retry(request.evenIfInterrupted);
    for (;;) {
      const answer = await this.open(request, retry.attempts());
      const ended = isFailed(answer) ? answer : await this.#readAll(answer, request);
      if (!isFailed(ended)) return ended;
      await retry.next(ended);
      if (mayBeLost(ended.end) && (await request.isDone?.()) === true) return { status: 204, headers: {} };
    }
  }

  /** Counts attempts from 1. `next` waits, or throws the failure where another attempt would not help. */
  retry(isCleanUp = false) {
    const { clock, random, signal, trace } = this.#options;
    const limits = { retries: isCleanUp ? 1 : this.#options.retries, maxTotalWaitMs: MAX_TOTAL_WAIT_MS };
    let [attempts, waitedMs] = [1, 0];
    return {
      attempts: (): number => attempts,
      /** After progress. */
      reset: (): void => {
        [attempts, waitedMs] = [1, 0];
      },
      next: async ({ end, failure, most = Infinity }: FailedAttempt): Promise<void> => {
        const decision = decideRetry(true, end, attempts, waitedMs, limits, random());
        const tried = attempts === 1 ? '' : ` (tried ${String(attempts)} times)`;
        if (!decision.retry || attempts >= most) throw failure.with({ message: `${failure.message}${tried}` });
        trace?.({ kind: 'wait', ms: decision.waitMs, reason: failure.message });
        await clock.sleep(decision.waitMs, isCleanUp ? undefined : signal);
        waitedMs += decision.waitMs;
        attempts += 1;
      },
    };
  }

  lost({ what }: Pick<S3Request, 'what'>, error: WireError): FailedAttempt {
    return lostAttempt(what, error, this.#options.connection);
  }

  /** Sends a request once. The body fails with WireError when it breaks off or is too slow. */
  async open(request: S3Request, attempt: number): Promise<WireAnswer | FailedAttempt> {
    const { transport, connection, clock, trace, timeoutMs } = this.#options;
    const { method, body = NO_BYTES, what, take } = request;
    const interrupt = request.evenIfInterrupted === true ? undefined : this.signal;
    const slot = await this.#takeSlot(request, interrupt ?? new AbortController().signal);
    const { url, headers } = this.#sign(request, body);
    const watch = createWatch(clock, interrupt);
    watch.limit(timeoutMs * (request.patience ?? 1) + body.byteLength / SLOWEST_UPLOAD);
    trace?.({ kind: 'request', method, url, headers, bytes: body.byteLength, attempt });
    const startedAt = clock.monotonic();
    try {
      const hasBody = body.byteLength > 0 || method === 'PUT';
      const sent = !hasBody ? undefined : body instanceof Uint8Array ? body : body.chunks();
      let nextAt = 0;
      const taken: typeof take = (chunk, head) => {
        take?.(chunk, head);
        // A timer for each chunk takes a tenth of the CPU time of a download.
        if (clock.monotonic() < nextAt) return;
        nextAt = clock.monotonic() + timeoutMs / 10;
        watch.limit(timeoutMs);
      };
      const answer = await transport({ method, url, headers, body: sent, ending: watch.ending, take: take && taken });
      const { status } = answer;
      trace?.({ kind: 'answer', status, headers: answer.headers, bytes: undefined, ms: clock.monotonic() - startedAt });
      this.#compareClocks(answer.headers);
      if (status === 429 || status === 503) slot.refused();
      else if (status < 500) slot.succeeded();
      const content = watch.watched(answer.body, timeoutMs, slot.free);
      if (status < 300) return { ...answer, body: content };
      const text = await readBody(content, undefined, MAX_ANSWER_BYTES).catch(() => undefined);
      if (request.handled?.includes(status) === true) return { ...answer, body: text ?? Buffer.alloc(0) };
      // oxlint-disable-next-line berth/no-wall-clock -- a date, compared with dates of the service
      return await refusedAttempt(what, status, text, connection, readRetryAfter(answer.headers, clock.now()));
    } catch (error) {
      watch.end();
      slot.free();
      const lost = watch.explain(error);
      // The source cannot be read: no other attempt helps.
      if (lost.cause instanceof Failure) throw lost.cause;
      trace?.({ kind: 'lost', stage: lost.stage, reason: lost.message, ms: clock.monotonic() - startedAt });
      return this.lost(request, lost);
    }
  }

  async #takeSlot({ isLarge, body }: S3Request, signal: AbortSignal) {
    const isOfLarge = isLarge === true || (body?.byteLength ?? 0) > LARGE_BYTES;
    const large = isOfLarge ? await this.#large.take(signal) : undefined;
    const slot = await this.#slots.take(signal);
    const free = (): void => {
      slot.free();
      large?.free();
    };
    return { ...slot, free };
  }

  #sign({ method, key, query = {}, headers = {} }: S3Request, body: SentBody) {
    const { connection, clock, userAgent } = this.#options;
    const { endpoint, region, credentials, bucket } = connection;
    const isWhole = body instanceof Uint8Array;
    const length = isWhole && method !== 'PUT' ? {} : { 'content-length': String(body.byteLength) };
    const path = `${endpoint.prefix}${pathOf(bucket, key)}`;
    const all = { 'accept-encoding': 'identity', 'user-agent': userAgent, ...length, ...headers };
    const payloadHash = isWhole ? sha256(body) : UNSIGNED;
    const unsigned = { method, query, origin: endpoint.origin, path, headers: all, payloadHash };
    // oxlint-disable-next-line berth/no-wall-clock -- a date: the service compares it with its own
    return signRequest(unsigned, credentials, region, clock.now());
  }

  #compareClocks({ date, server }: Readonly<Record<string, string>>): void {
    const at = Date.parse(date ?? '');
    // The files of the local service have times of this machine, wherever its clock was moved to.
    if (Number.isNaN(at) || server === 'berth-local') return;
    // oxlint-disable-next-line berth/no-wall-clock -- a date, compared with one of the service
    this.aheadMs = at - this.#options.clock.now();
  }

  async #readAll(answer: WireAnswer, request: S3Request): Promise<S3Answer | FailedAttempt> {
    const { status, headers } = answer;
    const { roots, check, what } = request;
    try {
      const body = await readBody(answer.body, undefined, MAX_ANSWER_BYTES);
      if (body === undefined) throw new Error('it is too large');
      if (status >= 300) return { status, headers };
      const page = roots === undefined ? undefined : pageAttempt(what, body, this.#options.connection);
      if (page !== undefined) return page;
      const document = roots === undefined ? undefined : await parseDocument(body, ...roots);
      const reason = check?.({ status, headers, document });
      if (reason !== undefined) throw new Error(reason);
      return { status, headers, document };
    } catch (error) {
      if (error instanceof WireError) return this.lost(request, error);
      this.signal.throwIfAborted();
      const failure = unreadable(what, messageOf(error).split('\n')[0] ?? '');
      return { kind: 'failed', end: { kind: 'lost', stage: 'answered', final: false }, failure };
    }
  }
}
