import { setMaxListeners } from 'node:events';
import type { Api, ApiAnswer, ApiRequest, RateWindow, ServerEvent, ServiceName } from '../core/api.ts';
import type { Clock } from '../core/context.ts';
import { EXIT } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import { readAnswer } from './wire/read-answer.ts';
import { decodeBody, readBody } from './wire/decode-body.ts';
import { readEvents } from './wire/server-events.ts';
import { beginSession, lostFailure, type Lost, type Session } from './policy/deadline.ts';
import { readWindows } from './policy/rate-windows.ts';
import { createPace } from './policy/throttle.ts';
import { noKey, prepare, previewOf, withKey, type Prepared } from './prepare.ts';
import { problemOf, type Asked, type Refusal } from './policy/problem.ts';
import { untilQuiet } from './wire/idle-timeout.ts';
import { decide, readRetryAfter, type TryEnd } from './policy/retry.ts';
import { redactHeaders, type TraceEvent } from './trace.ts';
import { WireError, type Transport, type WireAnswer } from './wire/transport.ts';

export interface ApiOptions {
  readonly transport: Transport;
  /** The configured base address of a service. Throws a Failure where there is none. */
  readonly addresses: (service: ServiceName) => string | Promise<string>;
  readonly key: () => Promise<string | undefined>;
  /** False lets requests go out without a key; true by default. */
  readonly requireKey?: boolean;
  readonly clock: Clock;
  /** 0 up to, not including, 1. */
  readonly random: () => number;
  /** The user's interrupt; its reason is the Failure that ends the command. */
  readonly signal: AbortSignal;
  /** Tries beyond the first. */
  readonly retries: number;
  /** Milliseconds for one exchange, body included, where the request names none. */
  readonly timeoutMs: number;
  /** Milliseconds that all waiting between the tries of one request may take; 2 minutes by default. */
  readonly patienceMs?: number;
  /** Bytes of an answer, decompressed; 64 MiB by default. */
  readonly maxBytes?: number;
  readonly userAgent: string;
  /** Told the rate windows of every answer that has them. */
  readonly onWindows?: (windows: readonly RateWindow[]) => void | Promise<void>;
  readonly trace?: (event: TraceEvent) => void;
  /** Told of each wait before another try. */
  readonly onWait?: (wait: Wait) => void;
}

/** A wait of milliseconds before another try, the first of `retries` or a later one. */
export interface Wait {
  readonly waitMs: number;
  readonly reason: string;
  readonly retry: number;
  readonly retries: number;
}

/** Bytes of an error's body that are read. */
const ERROR_BYTES = 1024 * 1024;

/** A request on its way, through all its tries. */
interface Job {
  readonly prepared: Prepared;
  readonly headers: Readonly<Record<string, string>>;
  readonly key: string | undefined;
  readonly asked: Asked;
  readonly deadlineMs: number;
}

interface Refused extends Refusal {
  readonly kind: 'refused';
}
interface Open {
  readonly kind: 'open';
  readonly answer: WireAnswer;
  readonly session: Session;
  /** By the monotonic clock. */
  readonly since: number;
}
interface Done<T> {
  readonly kind: 'done';
  readonly value: T;
}

/**
 * The way to a service: addresses and key in, paths encoded, one deadline an exchange, retries, one pace for all, and
 * whatever goes wrong told as a Failure: usage (2), denied (3), not found (4), refused (5), rate limited (6),
 * unavailable (7), outcome unknown (8), or the interrupt.
 */
export function createApi(options: ApiOptions): Api {
  const { transport, clock, random, signal, trace } = options;
  const policy = { retries: options.retries, patienceMs: options.patienceMs ?? 120_000 };
  const maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
  const pace = createPace(clock, random);
  // Every request in flight listens to the interrupt, however many they are.
  setMaxListeners(0, signal);

  const begin = async (request: ApiRequest): Promise<Job> => {
    const prepared = prepare(request, await options.addresses(request.service), options.userAgent);
    const key = await options.key();
    if (key === undefined && options.requireKey !== false) throw noKey();
    const { method, id, checkCommand } = request;
    return {
      prepared,
      headers: key === undefined ? prepared.headers : withKey(prepared.headers, key),
      key,
      asked: { name: { method, url: prepared.url }, write: method !== 'GET', id, checkCommand },
      deadlineMs: request.deadlineMs ?? options.timeoutMs,
    };
  };

  /** One try up to the head of the answer; a refusal is read to its end. */
  const open = async (job: Job, tries: number): Promise<Open | Refused | Lost> => {
    const { method, url, body } = job.prepared;
    const session = beginSession(clock, signal, job.deadlineMs, job.asked);
    const since = clock.monotonic();
    trace?.({ kind: 'request', method, url, headers: redactHeaders(job.headers), bytes: body?.byteLength ?? 0, tries });
    let keep = false;
    try {
      const answer = await transport({ method, url, headers: job.headers, body, signal: session.signal });
      // eslint-disable-next-line no-restricted-syntax -- a date, compared with dates of the service
      const windows = await readWindows(answer.headers, clock.now());
      if (windows.length > 0) await options.onWindows?.(windows);
      keep = answer.status >= 200 && answer.status < 300;
      return keep ? { kind: 'open', answer, session, since } : await refusal(job, answer, session, since);
    } catch (error) {
      return lose(session, error, since);
    } finally {
      if (!keep) session.end();
    }
  };

  const refusal = async (job: Job, answer: WireAnswer, session: Session, since: number): Promise<Refused> => {
    const { status, headers } = answer;
    // The status is answer enough: a body that breaks off, drips or is damaged adds nothing.
    const body = await readBody(answer.body, headers['content-encoding'], ERROR_BYTES).catch((error: unknown) => {
      session.lostBy(error);
      return undefined;
    });
    trace?.({ kind: 'answer', status, headers, bytes: body?.byteLength ?? 0, ms: clock.monotonic() - since });
    const hide = (text: string): string => (job.key === undefined ? text : text.replaceAll(job.key, '***'));
    const location = headers['location'];
    return {
      kind: 'refused',
      status,
      headers: location === undefined ? headers : { ...headers, location: hide(location) },
      text: hide(body?.toString() ?? ''),
    };
  };

  const lose = (session: Session, error: unknown, since: number): Lost => {
    const lost = session.lostBy(error);
    trace?.({ kind: 'lost', stage: lost.stage, reason: lost.reason, ms: clock.monotonic() - since });
    return lost;
  };

  /** Tries until it is done, or trying again would not help, not be safe, or take too long. */
  const persist = async <T>(job: Job, once: (tries: number) => Promise<Done<T> | Refused | Lost>): Promise<T> => {
    let waitedMs = 0;
    let last: Failure | undefined;
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted();
      const pausedMs = await pace.admit(policy.patienceMs - waitedMs, signal);
      if (pausedMs === undefined) throw last ?? crowded(job.asked);
      waitedMs += pausedMs;
      const admittedAt = clock.monotonic();
      const end = await once(tries);
      if (end.kind === 'done') {
        pace.eased();
        return end.value;
      }
      // eslint-disable-next-line no-restricted-syntax -- a date, compared with dates of the service
      const retryAfterMs = end.kind === 'refused' ? readRetryAfter(end.headers, clock.now()) : undefined;
      last = end.kind === 'lost' ? lostFailure(end, job.asked) : problemOf(end, job.asked, retryAfterMs);
      const tryEnd: TryEnd = end.kind === 'lost' ? end : { kind: 'status', status: end.status, retryAfterMs };
      const verdict = decide(job.asked.write, tryEnd, tries, waitedMs, policy, random());
      const throttled = end.kind === 'refused' && end.status === 429;
      if (!verdict.again)
        throw tries === 1 ? last : last.with({ message: `${last.message} (tried ${String(tries)} times)` });
      trace?.({ kind: 'wait', ms: verdict.waitMs, reason: last.message });
      const reason = throttled ? 'rate limited' : last.message;
      options.onWait?.({ waitMs: verdict.waitMs, reason, retry: tries, retries: policy.retries });
      if (throttled) {
        // The pace does the waiting, for this request and for all others.
        pace.slow(verdict.waitMs, admittedAt);
        continue;
      }
      await clock.sleep(verdict.waitMs, signal);
      waitedMs += verdict.waitMs;
    }
  };

  const sendOnce = async (request: ApiRequest, job: Job, tries: number): Promise<Done<ApiAnswer> | Refused | Lost> => {
    const opened = await open(job, tries);
    if (opened.kind !== 'open') return opened;
    const { answer, session, since } = opened;
    try {
      const read = await readAnswer(answer, request, maxBytes);
      if ('kind' in read) {
        trace?.({ kind: 'lost', stage: read.stage, reason: read.reason, ms: clock.monotonic() - since });
        return read;
      }
      const bytes = Buffer.byteLength(read.text);
      trace?.({ kind: 'answer', status: read.status, headers: read.headers, bytes, ms: clock.monotonic() - since });
      return { kind: 'done', value: read };
    } catch (error) {
      return lose(session, error, since);
    } finally {
      session.end();
    }
  };

  async function* events(request: ApiRequest): AsyncGenerator<ServerEvent> {
    const accept = { accept: 'text/event-stream', 'accept-encoding': 'identity' };
    const job = await begin({ ...request, headers: { ...accept, ...request.headers } });
    const { answer, session, since } = await persist(job, async (tries) => {
      const opened = await open(job, tries);
      return opened.kind === 'open' ? { kind: 'done', value: opened } : opened;
    });
    let code = 'unavailable';
    try {
      const { status, headers } = answer;
      trace?.({ kind: 'answer', status, headers, bytes: undefined, ms: clock.monotonic() - since });
      if (!/^text\/event-stream\b/i.test(headers['content-type'] ?? ''))
        throw new WireError('answered', 'the answer is not a stream of events');
      if (request.deadlineMs === undefined) session.calm();
      code = 'stream-broken';
      const { idleTimeoutMs } = request;
      const coming = readEvents(decodeBody(answer.body, headers['content-encoding']));
      yield* idleTimeoutMs === undefined ? coming : untilQuiet(coming, idleTimeoutMs, clock);
    } catch (error) {
      throw lostFailure(session.lostBy(error), job.asked).with({ code });
    } finally {
      session.end();
    }
  }

  return {
    send: async (request) => {
      const job = await begin(request);
      return persist(job, (tries) => sendOnce(request, job, tries));
    },
    events,
    preview: async (request) =>
      previewOf(prepare(request, await options.addresses(request.service), options.userAgent)),
  };
}

/** The pace stays closed for longer than this request may wait; it was never sent. */
const crowded = (asked: Asked): Failure =>
  new Failure({
    code: 'rate-limited',
    exit: EXIT.rateLimited,
    message: 'the service is limiting requests, and this one was not sent',
    hint: 'Try again later. What is left of each window: berth limits.',
    request: asked.name,
    id: asked.id,
  });
