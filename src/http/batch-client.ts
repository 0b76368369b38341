import type { Api, ApiRequest, RateWindow, ServiceName } from '../core/api.ts';
import type { Clock } from '../core/context.ts';
import { parseAddress } from '../core/address.ts';
import type { Failure } from '../core/failure.ts';
import { toAnswer } from './wire/read-answer.ts';
import type { ClientTransport, SendWhole } from './wire/client.ts';
import type { Exchange, WholeAnswer, WholeRequest } from './wire/buffered-exchange.ts';
import { readBody } from './wire/decode-body.ts';
import { lostFailure } from './policy/deadline.ts';
import { readWindows } from './policy/rate-windows.ts';
import { bytesOf, noKey, prepare, withKey, type Prepared } from './prepare.ts';
import { problemOf, type Asked } from './policy/problem.ts';
import { readRetryAfter } from './policy/retry.ts';
import { redactHeaders, type TraceEvent } from './trace.ts';
import { WireError, type Stage } from './wire/transport.ts';

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
  readonly exchange: SendWhole;
}

/** A request made ready, the key among its headers, but for the body: each request brings its own. */
interface Ready extends Prepared {
  readonly whole: WholeRequest;
  /** What it was made from. */
  readonly madeFrom: ApiRequest;
  /** A copy: the array of the request could be changed. */
  readonly path: readonly string[];
}

/** Bytes of an error's body that are read. */
const ERROR_BYTES = 1024 * 1024;
/** Deadlines are looked after so often in one timeout. */
const ROUNDS = 4;

/**
 * `send` for thousands of requests to few paths: each is tried once, and all share one guard over their deadlines.
 * Address and headers are made once for requests that give the same path array and differ in nothing but the body.
 * Fails as createApi's does.
 */
export function createBulkSend(options: BulkApiOptions): Api['send'] {
  const { clock, trace, maxBytes } = options;
  const opening = new Map<ServiceName, Promise<Way>>();
  const ways = new Map<ServiceName, Way>();
  const known = new WeakMap<readonly string[], Ready>();
  const watch = createWatch(clock, options.timeoutMs / ROUNDS);
  options.signal.addEventListener('abort', () => {
    watch.endAll(options.signal.reason as Error);
  });

  const open = async (service: ServiceName): Promise<Way> => {
    const address = await options.addresses(service);
    const key = await options.key();
    if (key === undefined) throw noKey();
    const { origin } = parseAddress(address, `the ${service} address`);
    const way = { address, origin, key, exchange: await options.transport.whole(origin, maxBytes) };
    ways.set(service, way);
    return way;
  };
  const wayTo = (service: ServiceName): Promise<Way> => {
    const way = opening.get(service) ?? open(service);
    opening.set(service, way);
    return way;
  };

  const makeReady = (request: ApiRequest, way: Way): Ready => {
    const before = known.get(request.path);
    if (before !== undefined && isMadeFor(before, request)) return before;
    const prepared = prepare(request, way.address, options.userAgent);
    const first = { ...prepared, headers: withKey(prepared.headers, way.key) };
    const whole: WholeRequest = {
      origin: way.origin,
      path: first.url.slice(way.origin.length),
      method: first.method,
      headers: Object.entries(first.headers).flat(),
    };
    const ready = { ...first, whole, madeFrom: request, path: [...request.path] };
    known.set(request.path, ready);
    return ready;
  };

  return async (request) => {
    // Once the way is open, nothing is waited for before the request goes out.
    const way = ways.get(request.service) ?? (await wayTo(request.service));
    const ready = makeReady(request, way);
    const body = bytesOf(request.body);
    const since = trace === undefined ? 0 : clock.monotonic();
    if (trace !== undefined) {
      const { method, url, headers } = ready;
      trace({ kind: 'request', method, url, headers: redactHeaders(headers), bytes: body?.byteLength ?? 0, tries: 1 });
    }
    const exchange = way.exchange(ready.whole, body);
    const place = watch.begin(exchange);
    let answer: WholeAnswer;
    try {
      answer = await exchange.answer;
    } catch (error) {
      if (options.signal.aborted) throw options.signal.reason;
      if (!(error instanceof WireError)) throw error;
      trace?.({ kind: 'lost', stage: error.stage, reason: error.message, ms: clock.monotonic() - since });
      throw lost(error.stage, error.message, request, ready, error.certificate);
    } finally {
      watch.end(place);
    }
    const { status, headers } = answer;
    trace?.({ kind: 'answer', status, headers, bytes: answer.body?.byteLength, ms: clock.monotonic() - since });
    // eslint-disable-next-line no-restricted-syntax -- a date, compared with dates of the service
    if (headers['ratelimit'] !== undefined) options.onWindows(await readWindows(headers, clock.now()));
    if (status < 200 || status >= 300) throw await refusal(answer, askedOf(request, ready), way.key);
    const encoding = headers['content-encoding'];
    const whole = encoding === undefined ? answer.body : await decoded(answer.body, encoding, request, ready);
    if (whole === undefined) throw lost('answered', 'the answer is too large', request, ready);
    const read = toAnswer(answer, whole, request);
    if ('kind' in read) throw lost('answered', read.reason, request, ready);
    return read;
  };

  async function decoded(
    body: Buffer | undefined,
    encoding: string,
    request: ApiRequest,
    ready: Ready,
  ): Promise<Buffer | undefined> {
    if (body === undefined) return undefined;
    try {
      return await readBody(once(body), encoding, maxBytes);
    } catch (error) {
      throw error instanceof WireError ? lost('answered', error.message, request, ready) : error;
    }
  }

  async function refusal({ status, headers, body }: WholeAnswer, asked: Asked, key: string): Promise<Failure> {
    const bytes = await readBody(once(body ?? Buffer.alloc(0)), headers['content-encoding'], ERROR_BYTES).catch(
      () => undefined,
    );
    const hide = (text: string): string => text.replaceAll(key, '***');
    const location = headers['location'];
    const seen = location === undefined ? headers : { ...headers, location: hide(location) };
    const text = hide(bytes?.toString() ?? '');
    // eslint-disable-next-line no-restricted-syntax -- a date, compared with dates of the service
    return problemOf({ status, headers: seen, text }, asked, readRetryAfter(headers, clock.now()));
  }
}

const askedOf = ({ id, checkCommand }: ApiRequest, { method, url }: Prepared): Asked => ({
  name: { method, url },
  write: method !== 'GET',
  id,
  checkCommand,
});

/** What was lost on the way here: another try would be another request. */
const lost = (stage: Stage, reason: string, request: ApiRequest, ready: Prepared, certificate = false): Failure =>
  lostFailure({ kind: 'lost', stage, reason, final: stage === 'answered', certificate }, askedOf(request, ready));

/** Whether what was made from one request is also what another one is to be sent as, whatever its body holds. */
const isMadeFor = ({ madeFrom, path }: Ready, request: ApiRequest): boolean =>
  madeFrom.method === request.method &&
  madeFrom.service === request.service &&
  madeFrom.query === request.query &&
  madeFrom.headers === request.headers &&
  (madeFrom.body === undefined) === (request.body === undefined) &&
  path.length === request.path.length &&
  path.every((segment, at) => segment === request.path[at]);

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  if (body.byteLength > 0) yield body;
}

interface Watch {
  /** Looks after an exchange until the end of it; gives the place that it has here. */
  begin(exchange: Exchange): number;
  end(place: number): void;
  endAll(reason: Error): void;
}

/** One guard for all exchanges: every `roundMs` it gives up those that were there before the last four rounds. */
function createWatch(clock: Clock, roundMs: number): Watch {
  // Places are used again: a map would be built anew for every few exchanges.
  const exchanges: (Exchange | undefined)[] = [];
  const since: number[] = [];
  const free: number[] = [];
  let round = 0;
  let guard: { cancel(): void } | undefined;
  const arm = (): void => {
    const deadline = clock.deadline(roundMs);
    guard = deadline;
    deadline.signal.addEventListener('abort', () => {
      guard = undefined;
      round += 1;
      exchanges.forEach((exchange, place) => {
        if (round - (since[place] ?? round) > ROUNDS) exchange?.giveUp(new Error('no complete answer in time'));
      });
      if (free.length < exchanges.length) arm();
    });
  };
  return {
    begin: (exchange) => {
      const place = free.pop() ?? exchanges.length;
      exchanges[place] = exchange;
      since[place] = round;
      if (guard === undefined) arm();
      return place;
    },
    end: (place) => {
      exchanges[place] = undefined;
      free.push(place);
      if (free.length < exchanges.length) return;
      guard?.cancel();
      guard = undefined;
    },
    endAll: (reason) => {
      for (const exchange of exchanges) exchange?.giveUp(reason);
    },
  };
}
