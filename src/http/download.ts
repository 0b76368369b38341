import type { Clock } from '../core/context.ts';
import type { DownloadAnswer, Downloads } from '../core/ports/downloads.ts';
import { EXIT, type ExitCode } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import { decideRetry, readRetryAfter, type AttemptEnd } from './policy/retry.ts';
import type { TraceEvent } from './trace.ts';
import { openExchange, type TimedExchange } from './timed-exchange.ts';
import { WireError, type Transport, type WireAnswer } from './message/transport.ts';
import type { Milliseconds } from '../core/unit-types.ts';

export interface DownloadOptions {
  readonly transport: Transport & { close(): Promise<void> };
  readonly clock: Clock;
  readonly random: () => number;
  /** The user's interrupt. */
  readonly signal: AbortSignal;
  readonly retries: number;
  /** The time in which the head, and then each part of the body, must come. */
  readonly timeoutMs: Milliseconds;
  readonly userAgent: string;
  readonly trace?: ((event: TraceEvent) => void) | undefined;
}

const MAX_TOTAL_WAIT_MS = 120_000;

/** Opens downloads over a transport. No header but those given and the name of this program is sent. */
export function createDownloads(options: DownloadOptions): Downloads {
  const { transport, clock, random, signal, trace } = options;
  const policy = { retries: options.retries, maxTotalWaitMs: MAX_TOTAL_WAIT_MS };

  const once = async (url: string, headers: Readonly<Record<string, string>>): Promise<Opened | AttemptEnd> => {
    const exchange = openExchange(options);
    const sent = { 'user-agent': options.userAgent, accept: '*/*', 'accept-encoding': 'identity', ...headers };
    trace?.({ kind: 'request', method: 'GET', url: withoutQuery(url), headers: sent, bytes: 0, attempt: 1 });
    try {
      const request = { method: 'GET', url, headers: sent, body: undefined, signal: exchange.signal };
      const answer = await exchange.inTime(transport(request));
      if (answer.status < 400) return { kind: 'open', answer, exchange };
      exchange.close();
      // eslint-disable-next-line no-restricted-syntax -- a date, compared with dates of the service
      const retryAfterMs = readRetryAfter(answer.headers, clock.now());
      return { kind: 'status', status: answer.status, retryAfterMs };
    } catch (error) {
      exchange.close();
      if (signal.aborted) throw signal.reason;
      if (!(error instanceof WireError)) throw error;
      return { kind: 'lost', stage: error.stage, final: error.certificate, reason: error.message };
    }
  };

  return {
    get: async (url, headers) => {
      let waitedMs = 0;
      for (let attempt = 1; ; attempt++) {
        signal.throwIfAborted();
        const end = await once(url, headers);
        if (end.kind === 'open') return answerOf(end, url, signal);
        const decision = decideRetry(true, end, attempt, waitedMs, policy, random());
        if (!decision.retry) throw failureOf(url, end);
        await clock.sleep(decision.waitMs, signal);
        waitedMs += decision.waitMs;
      }
    },
    close: () => transport.close(),
  };
}

interface Opened {
  readonly kind: 'open';
  readonly answer: WireAnswer;
  readonly exchange: TimedExchange;
}

function answerOf({ answer, exchange }: Opened, url: string, signal: AbortSignal): DownloadAnswer {
  async function* body(): AsyncGenerator<Uint8Array> {
    if (Buffer.isBuffer(answer.body)) {
      yield answer.body;
      return;
    }
    const chunks = answer.body[Symbol.asyncIterator]();
    for (;;) {
      let next: IteratorResult<Uint8Array, unknown>;
      try {
        next = await exchange.inTime(chunks.next());
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (!(error instanceof WireError)) throw error;
        throw unavailable(url, `the file breaks off: ${error.message}`);
      }
      if (next.done === true) return;
      yield next.value;
    }
  }
  return {
    status: answer.status,
    headers: answer.headers,
    body: body(),
    close: () => {
      exchange.close();
    },
  };
}

/** An address in messages: its query often holds a signature. */
const withoutQuery = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
};

const unavailable = (url: string, message: string): Failure =>
  new Failure({
    code: 'unavailable',
    exit: EXIT.unavailable,
    message,
    request: { method: 'GET', url: withoutQuery(url) },
  });

function failureOf(url: string, end: AttemptEnd): Failure {
  if (end.kind === 'lost') return unavailable(url, end.reason ?? 'no answer came');
  const { status } = end;
  const request = { method: 'GET', url: withoutQuery(url) };
  return new Failure({
    code: 'download',
    exit: exitOf(status),
    message: `the answer is ${String(status)}`,
    status,
    request,
  });
}

function exitOf(status: number): ExitCode {
  if (status === 401 || status === 403) return EXIT.denied;
  if (status === 404 || status === 410) return EXIT.notFound;
  if (status === 429) return EXIT.rateLimited;
  return status >= 500 ? EXIT.unavailable : EXIT.refused;
}
