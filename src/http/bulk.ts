import type { Api, ApiAnswer, ApiRequest, RateWindow, ServiceName } from '../core/api.ts';
import type { Clock } from '../core/context.ts';
import { parseAddress } from '../core/address.ts';
import type { Failure } from '../core/failure.ts';
import { toAnswer } from './answer.ts';
import type { ClientTransport } from './client.ts';
import type { Exchange, WholeAnswer, WholeRequest } from './client-whole.ts';
import { readBody } from './decode.ts';
import { lostFailure } from './exchange.ts';
import { readWindows } from './limits.ts';
import { noKey, prepare, withKey, type Prepared } from './prepare.ts';
import { problemOf, type Asked } from './problem.ts';
import { readRetryAfter } from './retry.ts';
import { redactHeaders, type TraceEvent } from './trace.ts';
import { WireError } from './transport.ts';

export interface BulkApiOptions {
  readonly transport: Pick<ClientTransport, 'whole'>;
  readonly addresses: (service: ServiceName) => string | Promise<string>;
  readonly key: () => Promise<string | undefined>;
  readonly clock: Clock;
  /** Ends what is on the wire. */
  readonly signal: AbortSignal;
  /** Milliseconds for one exchange; it may take a quarter longer. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly userAgent: string;
  readonly onWindows: (windows: readonly RateWindow[]) => void;
  readonly trace?: (event: TraceEvent) => void;
}

/** All that requests to one service have in common. */
interface Way {
  readonly address: string;
  readonly origin: string;
  readonly key: string;
  readonly exchange: (request: WholeRequest) => Exchange;
}

/** Bytes of an error's body that are read. */
const ERROR_BYTES = 1024 * 1024;
/** Deadlines are looked after so often in one timeout. */
const ROUNDS = 4;

/**
 * `send` for thousands of requests to few paths: each is tried once, address and headers are made once for each path
 * that is given as the same array, and all share one guard over their deadlines. Fails as createApi's does.
 */
export function createBulkSend(options: BulkApiOptions): Api['send'] {
  const { clock, trace, maxBytes } = options;
  const ways = new Map<ServiceName, Promise<Way>>();
  const prepared = new WeakMap<readonly string[], { readonly request: Prepared; readonly whole: WholeRequest }>();
  const watch = createWatch(clock, options.timeoutMs / ROUNDS);
  options.signal.addEventListener('abort', () => {
    watch.endAll(options.signal.reason as Error);
  });

  const open = async (service: ServiceName): Promise<Way> => {
    const address = await options.addresses(service);
    const key = await options.key();
    if (key === undefined) throw noKey();
    const { origin } = parseAddress(address, `the ${service} address`);
    return { address, origin, key, exchange: await options.transport.whole(origin, maxBytes) };
  };
  const wayOf = (service: ServiceName): Promise<Way> => {
    const way = ways.get(service) ?? open(service);
    ways.set(service, way);
    return way;
  };

  const prepareOnce = (request: ApiRequest, way: Way): { readonly request: Prepared; readonly whole: WholeRequest } => {
    const known = prepared.get(request.path);
    if (known !== undefined) return known;
    const ready = prepare(request, way.address, options.userAgent);
    const whole: WholeRequest = {
      origin: way.origin,
      path: ready.url.slice(way.origin.length),
      method: ready.method,
      headers: Object.entries(withKey(ready.headers, way.key)).flat(),
      body: ready.body,
    };
    prepared.set(request.path, { request: ready, whole });
    return { request: ready, whole };
  };

  return async (request) => {
    const way = await wayOf(request.service);
    const ready = prepareOnce(request, way);
    const { method, url } = ready.request;
    const body = request.body === undefined ? undefined : ready.whole.body;
    const raw = rawOf(request) ?? body;
    const asked: Asked = { name: { method, url }, write: method !== 'GET', id: request.id, findOut: request.findOut };
    const since = clock.now();
    trace?.({
      kind: 'request',
      method,
      url,
      headers: redactHeaders(ready.request.headers),
      bytes: raw?.byteLength ?? 0,
      tries: 1,
    });
    const exchange = way.exchange({ ...ready.whole, body: raw });
    const end = watch.over(exchange);
    let answer: WholeAnswer;
    try {
      answer = await exchange.answer;
    } catch (error) {
      if (options.signal.aborted) throw options.signal.reason;
      if (!(error instanceof WireError)) throw error;
      throw lostFailure({ kind: 'lost', stage: error.stage, reason: error.message, final: false }, asked);
    } finally {
      end();
    }
    const { status, headers } = answer;
    trace?.({ kind: 'answer', status, headers, bytes: answer.body?.byteLength, ms: clock.now() - since });
    if (headers['ratelimit'] !== undefined) options.onWindows(await readWindows(headers, clock.now()));
    return status >= 200 && status < 300
      ? await success(answer, request, asked)
      : await refusal(answer, asked, way.key);
  };

  async function success(answer: WholeAnswer, request: ApiRequest, asked: Asked): Promise<ApiAnswer> {
    const { status, headers, body } = answer;
    const lost = (reason: string): Failure =>
      lostFailure({ kind: 'lost', stage: 'answered', reason, final: true }, asked);
    if (body === undefined) throw lost('the answer is too large');
    const encoding = headers['content-encoding'];
    const bytes = encoding === undefined ? body : await decoded(body, encoding, lost);
    const read = toAnswer({ status, headers }, bytes, request);
    if ('kind' in read) throw lost(read.reason);
    return read;
  }

  async function decoded(body: Buffer, encoding: string, lost: (reason: string) => Failure): Promise<Buffer> {
    let bytes: Buffer | undefined;
    try {
      bytes = await readBody(once(body), encoding, maxBytes);
    } catch (error) {
      throw error instanceof WireError ? lost(error.message) : error;
    }
    if (bytes === undefined) throw lost('the answer is too large');
    return bytes;
  }

  async function refusal({ status, headers, body }: WholeAnswer, asked: Asked, key: string): Promise<never> {
    const bytes = await readBody(once(body ?? Buffer.alloc(0)), headers['content-encoding'], ERROR_BYTES).catch(
      () => undefined,
    );
    const hide = (text: string): string => text.replaceAll(key, '***');
    const location = headers['location'];
    const seen = location === undefined ? headers : { ...headers, location: hide(location) };
    const text = hide(bytes?.toString() ?? '');
    throw problemOf({ status, headers: seen, text }, asked, readRetryAfter(headers['retry-after'], clock.now()));
  }
}

/** The bytes of a request that brings its own; of one path, each request has others. */
function rawOf({ body }: ApiRequest): Uint8Array | undefined {
  if (typeof body !== 'object' || body === null || !('raw' in body)) return undefined;
  return body.raw instanceof Uint8Array ? body.raw : undefined;
}

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  if (body.byteLength > 0) yield body;
}

interface Watch {
  /** Looks after an exchange until the function given back is called. */
  over(exchange: Exchange): () => void;
  endAll(reason: Error): void;
}

/** One guard for all exchanges: every `roundMs` it gives up those that were there before the last four rounds. */
function createWatch(clock: Clock, roundMs: number): Watch {
  const begun = new Map<Exchange, number>();
  let round = 0;
  let guard: { cancel(): void } | undefined;
  const arm = (): void => {
    const deadline = clock.deadline(roundMs);
    guard = deadline;
    deadline.signal.addEventListener('abort', () => {
      guard = undefined;
      round += 1;
      for (const [exchange, since] of begun)
        if (round - since > ROUNDS) exchange.giveUp(new Error('no complete answer in time'));
      if (begun.size > 0) arm();
    });
  };
  return {
    over: (exchange) => {
      begun.set(exchange, round);
      if (guard === undefined) arm();
      return () => {
        begun.delete(exchange);
        if (begun.size === 0) {
          guard?.cancel();
          guard = undefined;
        }
      };
    },
    endAll: (reason) => {
      for (const exchange of begun.keys()) exchange.giveUp(reason);
    },
  };
}
