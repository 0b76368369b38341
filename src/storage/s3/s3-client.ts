import { createHash, createHmac } from 'node:crypto';
import type { Clock } from '../../core/context.ts';
import { type Failure, messageOf } from '../../core/failure.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { parseDocument, type XmlElement } from '../../core/xml.ts';
import { readBody } from '../../http/answer.ts';
import { type AttemptEnd, decideRetry, readRetryAfter } from '../../http/retry.ts';
import { createRequestSlots } from '../../http/throttle.ts';
import { redactHeaders, type TraceEvent } from '../../http/trace.ts';
import { type Transport, type WireAnswer, WireError } from '../../http/transport.ts';
import type { Credentials, S3Connection } from './connection.ts';
import { encodeStrictly, pathOf } from './object-address.ts';
import { finalIfFull, hasNoHost, lostFailure, refusal, type Refusal, unreadable } from './s3-failures.ts';
import { Watched, watchedBody } from './watched-exchange.ts';

interface UnsignedRequest {
  readonly method: string;
  readonly origin: string;
  /** Encoded: it is signed and sent unchanged. */
  readonly path: string;
  /** Not encoded. */
  readonly query: Readonly<Record<string, string>>;
  /** Names are in lower case. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** The SHA-256 of the body in hexadecimal, or UNSIGNED. */
  readonly payloadHash: string;
}

interface SignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

const UNSIGNED = 'UNSIGNED-PAYLOAD';

/** AWS Signature Version 4. `date` in milliseconds; the service refuses one that is 15 minutes off. */
export function signRequest(
  request: UnsignedRequest,
  credentials: Credentials,
  region: string,
  date: number,
): SignedRequest {
  const time = new Date(date).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-content-sha256': request.payloadHash,
    'x-amz-date': time,
    ...(credentials.sessionToken === undefined ? {} : { 'x-amz-security-token': credentials.sessionToken }),
  };
  const query = canonicalQuery(request.query);
  const signed = Object.entries({ ...headers, host: new URL(request.origin).host })
    .map(([name, value]) => [name, value.trim().replace(/ {2,}/g, ' ')] as const)
    .toSorted(([one], [other]) => compareText(one, other));
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    request.method,
    request.path,
    query,
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    request.payloadHash,
  ].join('\n');
  const text = [ALGORITHM, time, scope, sha256(canonical)].join('\n');
  const key = scope
    .split('/')
    .reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${credentials.secretAccessKey}`);
  const signature = createHmac('sha256', key).update(text).digest('hex');
  return {
    url: `${request.origin}${request.path}${query === '' ? '' : `?${query}`}`,
    headers: {
      ...headers,
      authorization: `${ALGORITHM} Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    },
  };
}

const canonicalQuery = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]) => [encodeStrictly(name), encodeStrictly(value)] as const)
    .toSorted(([one], [other]) => compareText(one, other))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

interface S3ClientOptions {
  readonly transport: Transport;
  readonly connection: S3Connection;
  readonly clock: Clock;
  readonly random: () => number;
  /** The user's interrupt: it ends requests that have no signal of their own. */
  readonly signal: AbortSignal;
  readonly retries: number;
  /** The time until the head of an answer, and between two chunks of its body. */
  readonly timeoutMs: Milliseconds;
  readonly userAgent: string;
  /** How many requests may be under way at once: fewer after 429 and 503. */
  readonly requestsAtOnce?: number;
  /** How often a request that was refused with AccessDenied is sent again: some services refuse now and then what is allowed. */
  readonly retriesOfDenied?: number;
  readonly trace?: ((event: TraceEvent) => void) | undefined;
}

/** Read again for each attempt. Content-MD5 instead of a signature: a second digest is as slow as sending. */
interface StreamedBody {
  readonly byteLength: number;
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

export type SentBody = Uint8Array | StreamedBody;

/** Every request may be repeated. */
export interface S3Request {
  /** What is done, with the address, for messages: `cannot WHAT`. */
  readonly what: string;
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly bucket: string;
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: SentBody;
  readonly handled?: readonly number[];
  /** The names that the root of an XML answer with status 200 may have. One that is not whole, or another, counts as lost. */
  readonly roots?: readonly string[];
  /** How many times as long as for other requests the head of the answer may take. */
  readonly patience?: number;
  /** Called before a retry of a request that may have been carried out. True: not resent, the answer is 204. */
  readonly isDone?: () => Promise<boolean>;
  readonly signal?: AbortSignal | undefined;
  /** True to send it although the user has interrupted the command: for a request that cleans up. */
  readonly evenIfInterrupted?: boolean;
}

export interface S3Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly document?: XmlElement | undefined;
  readonly attempts: number;
}

export interface S3Client {
  readonly signal: AbortSignal;
  /** Sends a request with retries and reads the whole answer. Fails as `s3-failures` says. */
  send(request: S3Request): Promise<S3Answer>;
  /** Sent once; `number` counts from 1. The body fails with WireError when it breaks off or is too slow. */
  open(request: S3Request, number?: number): Promise<WireAnswer | LostOrRefused>;
  lost(request: S3Request, error: WireError): LostOrRefused;
  pause(milliseconds: Milliseconds, signal: AbortSignal | undefined): Promise<void>;
  /** Waits before the next attempt, or throws the failure when another attempt would not help. `attempts` counts from 1. */
  waitForRetry(end: LostOrRefused, attempts: number, waitedMs: Milliseconds, request: S3Request): Promise<number>;
}

export interface LostOrRefused {
  readonly kind: 'failed';
  readonly end: AttemptEnd;
  readonly failure: Failure;
}

export const isFailed = (answer: WireAnswer | LostOrRefused): answer is LostOrRefused => 'kind' in answer;

/** Milliseconds, for one request. */
const MAX_TOTAL_WAIT_MS = 120_000;
/** Limit for an answer that is read whole. A listing has at most 1000 keys of 1024 bytes, each byte encoded as three. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const TOO_MANY: readonly number[] = [429, 503];
/** Bytes per millisecond. */
const SLOWEST_UPLOAD = 64;

export function createS3Client(options: S3ClientOptions): S3Client {
  const { transport, connection, clock, random, signal, trace } = options;
  const slots = createRequestSlots(options.requestsAtOnce ?? Infinity);

  const signalsOf = (request: S3Request): readonly AbortSignal[] => {
    if (request.signal !== undefined) return [request.signal];
    return request.evenIfInterrupted === true ? [] : [signal];
  };

  const attempt = async (request: S3Request, number: number): Promise<WireAnswer | LostOrRefused> => {
    const { method, bucket, key, query = {}, headers = {}, body = NO_BYTES } = request;
    const { endpoint, region, credentials } = connection;
    const slot = await slots.take(AbortSignal.any([...signalsOf(request)]));
    const { url, headers: signed } = signRequest(
      {
        method,
        origin: endpoint.origin,
        path: `${endpoint.prefix}${pathOf(bucket, key)}`,
        query,
        headers: {
          'accept-encoding': 'identity',
          'user-agent': options.userAgent,
          ...(body instanceof Uint8Array ? {} : { 'content-length': String(body.byteLength) }),
          ...headers,
        },
        payloadHash: body instanceof Uint8Array ? sha256(body) : UNSIGNED,
      },
      credentials,
      region,
      // eslint-disable-next-line no-restricted-syntax -- a date: the service compares it with its own
      clock.now(),
    );
    trace?.({ kind: 'request', method, url, headers: redactHeaders(signed), bytes: body.byteLength, attempt: number });
    const startedAt = clock.monotonic();
    const exchange = new Watched(clock, signalsOf(request), slot.free);
    exchange.limit(options.timeoutMs * (request.patience ?? 1) + body.byteLength / SLOWEST_UPLOAD);
    try {
      const isNone = body.byteLength === 0 && method !== 'PUT';
      const sent = isNone ? undefined : body instanceof Uint8Array ? body : body.chunks();
      const answer = await transport({ method, url, headers: signed, body: sent, signal: exchange.signal });
      trace?.({
        kind: 'answer',
        status: answer.status,
        headers: answer.headers,
        bytes: undefined,
        ms: clock.monotonic() - startedAt,
      });
      if (TOO_MANY.includes(answer.status)) slot.refused();
      else if (answer.status < 500) slot.succeeded();
      const content = watchedBody(answer.body, exchange, options.timeoutMs);
      if (answer.status < 300) return { ...answer, body: content };
      const text = await readBody(content, undefined, MAX_ANSWER_BYTES).catch(() => undefined);
      if (request.handled?.includes(answer.status) === true) return { ...answer, body: text ?? Buffer.alloc(0) };
      const refused = await refusal(request.what, answer, text, credentials);
      if (method === 'HEAD' && [400, 401, 403].includes(answer.status))
        return await withReason(request, refused, number);
      return failed(refused, answer.headers, number);
    } catch (error) {
      exchange.end();
      const lost = exchange.explain(error);
      trace?.({ kind: 'lost', stage: lost.stage, reason: lost.message, ms: clock.monotonic() - startedAt });
      return {
        kind: 'failed',
        end: { kind: 'lost', stage: lost.stage, final: lost.certificate || hasNoHost(lost, connection) },
        failure: lostFailure(request.what, lost, connection),
      };
    }
  };

  /** The answer to HEAD has no body, and so no reason. The same request as GET is refused alike, with the reason. */
  const withReason = async (request: S3Request, { failure }: Refusal, number: number): Promise<LostOrRefused> => {
    // An empty file has no such range.
    const handled = [...(request.handled ?? []), 416];
    const headers = { ...request.headers, range: 'bytes=0-0' };
    const answer = await attempt({ ...request, method: 'GET', headers, handled }, number);
    if (isFailed(answer)) return answer;
    await readBody(answer.body, undefined, MAX_ANSWER_BYTES).catch(() => undefined);
    return { kind: 'failed', end: { kind: 'status', status: 503, retryAfterMs: undefined }, failure };
  };

  const failed = (
    { status, retryable, isDenial, failure }: Refusal,
    headers: WireAnswer['headers'],
    number: number,
  ): LostOrRefused => ({
    kind: 'failed',
    end: {
      kind: 'status',
      status: retryable || (isDenial && number <= (options.retriesOfDenied ?? 0)) ? 503 : finalIfFull(status),
      // eslint-disable-next-line no-restricted-syntax -- a date, compared with dates of the service
      retryAfterMs: readRetryAfter(headers, clock.now()),
    },
    failure,
  });

  const waitForRetry: S3Client['waitForRetry'] = async (lost, attempts, waitedMs, request) => {
    const retries = request.evenIfInterrupted === true ? 1 : options.retries;
    const limits = { retries, maxTotalWaitMs: MAX_TOTAL_WAIT_MS };
    const decision = decideRetry(true, lost.end, attempts, waitedMs, limits, random());
    if (!decision.retry) {
      const { failure } = lost;
      throw attempts === 1
        ? failure
        : failure.with({ message: `${failure.message} (tried ${String(attempts)} times)` });
    }
    trace?.({ kind: 'wait', ms: decision.waitMs, reason: lost.failure.message });
    await clock.sleep(decision.waitMs, AbortSignal.any([...signalsOf(request)]));
    return waitedMs + decision.waitMs;
  };

  return {
    signal,
    open: (request, number = 1) => attempt(request, number),
    pause: (milliseconds, own) => clock.sleep(milliseconds, own ?? signal),
    lost: (request, error) => lostBody(request, error, connection),
    waitForRetry,
    send: async (request) => {
      let waitedMs = 0;
      for (let attempts = 1; ; attempts++) {
        const answer = await attempt(request, attempts);
        const end = isFailed(answer) ? answer : await wholeAnswer(answer, request, connection, attempts);
        if (!('kind' in end)) return end;
        waitedMs = await waitForRetry(end, attempts, waitedMs, request);
        if (request.isDone !== undefined && mayBeDone(end) && (await request.isDone()))
          return { status: 204, headers: {}, body: Buffer.alloc(0), attempts };
      }
    },
  };
}

const NO_BYTES = new Uint8Array(0);

const mayBeDone = ({ end }: LostOrRefused): boolean =>
  end.kind === 'lost' ? end.stage !== 'not-sent' : end.status >= 500;

async function wholeAnswer(
  answer: WireAnswer,
  request: S3Request,
  connection: S3Connection,
  attempts: number,
): Promise<S3Answer | LostOrRefused> {
  try {
    const body = await readBody(answer.body, undefined, MAX_ANSWER_BYTES);
    if (body === undefined) return lostBody(request, new WireError('answered', 'the answer is too large'), connection);
    const { status, headers } = answer;
    if (request.roots === undefined || status !== 200) return { status, headers, body, attempts };
    return { status, headers, body, attempts, document: await parseDocument(body, ...request.roots) };
  } catch (error) {
    if (error instanceof WireError) return lostBody(request, error, connection);
    if (request.roots === undefined) throw error;
    // Cut off, or an error that came with the status of a success.
    return unread(unreadable(request.what, messageOf(error).split('\n')[0] ?? ''));
  }
}

const lostBody = ({ what }: S3Request, error: WireError, connection: S3Connection): LostOrRefused =>
  unread(lostFailure(what, error, connection));

const unread = (failure: Failure): LostOrRefused => ({
  kind: 'failed',
  end: { kind: 'lost', stage: 'answered', final: false },
  failure,
});
