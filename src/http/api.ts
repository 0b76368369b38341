import { setMaxListeners } from 'node:events';
import { type AccessSetting, requireAccess, accessNeeded } from '../core/access.ts';
import { type Address, parseKeyAddress } from '../core/addresses.ts';
import type { ApiRequest, BatchApi, ServerEvent, ServiceName } from '../core/api.ts';
import { EXIT } from '../core/exit-codes.ts';
import { ABSENT, asError, Failure, noKey } from '../core/failure.ts';
import { berth, sentence } from '../core/message.ts';
import type { Milliseconds } from '../core/unit-types.ts';
import { decodeBody, type LostAnswer, lostFailure } from './answer.ts';
import { type Done, exchangeOnce, type ExchangeOptions, leaveOpen, type Reader, readWhole } from './exchange.ts';
import { refusalFailure, type RequestFacts } from './problem.ts';
import { factsOf, prepare, previewOf, signed, type UnsignedRequest } from './request.ts';
import { type AttemptEnd, decideRetry, mayBeLost, readRetryAfter } from './retry.ts';
import { createThrottle, type Throttle } from './throttle.ts';
import { type Ending, WireError } from './transport.ts';

export interface ApiOptions extends Omit<ExchangeOptions, 'interruptible'> {
  /** Throws a Failure when none is configured. */
  readonly addresses: (service: ServiceName) => string | Promise<string>;
  /** One that a header can carry. `again`: after a 401. It may have changed where it comes from since it was read. */
  readonly key: (again: boolean) => Promise<string | undefined>;
  readonly keyVariable?: () => string | undefined;
  readonly random: () => number;
  /** Attempts after the first; 0 for batches, which retry themselves. */
  readonly retries: number;
  readonly timeoutMs: Milliseconds;
  readonly userAgent: string;
  /** Says what requests may do; everything when absent. Asked for requests that do not only read. May fail. */
  readonly access?: AccessSetting;
  /** The headers of the trace that this process is a part of, sent with every request. */
  readonly traceHeaders?: Readonly<Record<string, string>> | undefined;
  readonly onRetryWait?: (wait: RetryWait) => void;
}

/** What all waits between the attempts of one request may take. */
const MAX_RETRY_WAIT_MS: Milliseconds = 120_000;

/** A wait before a retry. `retry` counts from 1. */
export interface RetryWait {
  readonly waitMs: Milliseconds;
  readonly reason: string;
  readonly retry: number;
  readonly retries: number;
}

/**
 * Returns the Api of one run: it resolves addresses and key, encodes paths, limits each exchange by a deadline, retries,
 * and throttles all requests together. The base address of each service and the key are read once, the key again after a
 * 401: if it has changed, the request is sent once more. Every failure is a Failure: usage (2), denied (3), not found (4),
 * refused (5), rate limited (6), unavailable (7), outcome unknown (8), or the interrupt.
 */
export function createApi(options: ApiOptions): BatchApi {
  const { access, clock, random, signal, trace, traceHeaders, timeoutMs } = options;
  const policy = { retries: options.retries, maxTotalWaitMs: MAX_RETRY_WAIT_MS };
  const interruptible = new Set<Ending>();
  const exchange = { ...options, interruptible };
  // Such as `5b1f0c9ae2d4-1`; all attempts of a request share it.
  const run = Math.floor(random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0');
  let requests = 0;
  const bases = new Map<ServiceName, Address>();
  let knownKey: string | undefined;
  /** Since the first 429. */
  let throttle: Throttle | undefined;
  // Every wait listens to the interrupt, and there is no limit on their number.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', () => {
    for (const ending of interruptible) ending.end(asError(signal.reason));
  });

  const unsigned = async (request: ApiRequest): Promise<UnsignedRequest> => {
    const { service } = request;
    const base = bases.get(service) ?? parseKeyAddress(await options.addresses(service), `the ${service} address`);
    bases.set(service, base);
    return prepare(request, base, options.userAgent);
  };

  const readKey = async (again: boolean): Promise<string> => {
    const key = await options.key(again);
    if (key === undefined) throw noKey();
    return (knownKey = key);
  };

  /** After a 401: the key that is in use now; undefined where it is the refused one. */
  const newKey = async (refused: string): Promise<string | undefined> => {
    // What cannot be read any more is reported as the 401.
    if (refused === knownKey) await readKey(true).catch(() => undefined);
    return refused === knownKey ? undefined : knownKey;
  };

  const send = async <T extends Done>(
    request: ApiRequest,
    read: Reader<T>,
    body = request.body,
    prepared: { unsigned?: UnsignedRequest } = {},
  ): Promise<T> => {
    if (prepared.unsigned === undefined) {
      if (access !== undefined && request.method !== 'GET') requireAccess(accessNeeded(request), access);
      prepared.unsigned = await unsigned(request);
    }
    const key = knownKey ?? (await readKey(false));
    requests += 1;
    const signing = { body, requestId: `${run}-${String(requests)}`, traceHeaders, timeoutMs };
    let call = signed(request, prepared.unsigned, key, signing);
    const limits = request.once === true ? { ...policy, retries: 0 } : policy;
    let waitedMs = 0;
    let last: Failure | undefined;
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      const throttledMs = throttle === undefined ? 0 : await throttle.acquire(policy.maxTotalWaitMs - waitedMs, signal);
      if (throttledMs === undefined) throw last ?? throttledFailure(factsOf(call));
      waitedMs += throttledMs;
      const acquiredAt = clock.monotonic();
      const end = await exchangeOnce(call, attempt, exchange, read);
      if (end.kind === undefined) {
        throttle?.recordSuccess();
        return end;
      }
      // oxlint-disable-next-line berth/no-wall-clock -- a date, compared with dates of the service
      const retryAfterMs = end.kind === 'refused' ? readRetryAfter(end.headers, clock.now()) : undefined;
      const facts = factsOf(call);
      last =
        end.kind === 'lost'
          ? lostIn(end, facts, request)
          : refusalFailure(end, facts, retryAfterMs, options.keyVariable?.());
      if (end.kind === 'lost' && end.absent === true && request.hasFallback === true) throw last.with({ code: ABSENT });
      const renewed = end.kind === 'refused' && end.status === 401 && call.key === key ? await newKey(key) : undefined;
      if (renewed !== undefined) {
        call = signed(request, prepared.unsigned, renewed, signing);
        continue;
      }
      const attemptEnd: AttemptEnd = end.kind === 'lost' ? end : { kind: 'status', status: end.status, retryAfterMs };
      if (mayBeLost(attemptEnd)) request.onLost?.();
      const decision = decideRetry(facts.repeatable, attemptEnd, attempt, waitedMs, limits, random());
      if (!decision.retry)
        throw attempt === 1 ? last : last.with({ message: `${last.message} (tried ${String(attempt)} times)` });
      const { waitMs } = decision;
      const isThrottled = end.kind === 'refused' && end.status === 429;
      const reason = isThrottled ? 'rate limited' : last.message;
      trace?.({ kind: 'wait', ms: waitMs, reason: last.message });
      options.onRetryWait?.({ waitMs, reason, retry: attempt, retries: policy.retries });
      if (isThrottled) {
        // The throttle waits, for this request and for all others.
        (throttle ??= createThrottle(clock, random)).pause(waitMs, acquiredAt);
        continue;
      }
      await clock.sleep(waitMs, signal);
      waitedMs += waitMs;
    }
  };

  async function* events(request: ApiRequest): AsyncGenerator<ServerEvent> {
    const { readEvents, untilIdle } = await import('./server-events.ts');
    const accept = { accept: 'text/event-stream', 'accept-encoding': 'identity' };
    const asked = { ...request, headers: { ...accept, ...request.headers } };
    const { headers, body, exchange: open } = await send(asked, leaveOpen);
    let code = 'unavailable';
    try {
      if (!/^text\/event-stream\b/i.test(headers['content-type'] ?? ''))
        throw new WireError('answered', 'the answer is not a stream of events');
      if (request.deadlineMs === undefined) open.liftDeadline();
      code = 'stream-broken';
      const { idleTimeoutMs } = request;
      const received = readEvents(decodeBody(body, headers['content-encoding']));
      yield* idleTimeoutMs === undefined ? received : untilIdle(received, idleTimeoutMs, clock);
    } catch (error) {
      throw lostFailure(open.explain(error), factsOf(open.call)).with({ code });
    } finally {
      open.end();
    }
  }

  return {
    send: (request) => send(request, readWhole),
    prepare: (request) => {
      const prepared = {};
      // Stands for the body that each send has. To spread the request for each would take as long as the rest of it.
      const withBody = { ...request, body: null };
      return { send: (body) => send(withBody, readWhole, body, prepared) };
    },
    events,
    preview: async (request) => previewOf(request, await unsigned(request)),
  };
}

/** As `lostFailure`; for a read whose answer cannot be used, with the command that shows its bytes. */
function lostIn(end: LostAnswer, facts: RequestFacts, { service, path }: ApiRequest): Failure {
  const failure = lostFailure(end, facts);
  if (end.unreadable !== true || facts.write) return failure;
  const words = berth`api GET /${path.map(encodeURIComponent).join('/')} --service ${service} --raw-body`;
  return failure.with({ hint: sentence`Nothing changed. The bytes that came: ${words}` });
}

/** The failure (6) of a request that was never sent: the throttle stays closed for longer than it may wait. */
const throttledFailure = ({ name, id }: RequestFacts): Failure =>
  new Failure({
    code: 'rate-limited',
    exit: EXIT.rateLimited,
    message: 'the service is limiting requests, and this one was not sent',
    hint: sentence`Try again later. What is left of each window: ${berth`limits`}.`,
    request: name,
    id,
  });
