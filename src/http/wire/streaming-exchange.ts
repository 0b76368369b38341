import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Connections } from './connections.ts';
import { toWireError } from './client-errors.ts';
import { flatHeaders, toBuffer } from './undici-conversions.ts';
import type { Stage, WireAnswer, WireRequest } from '../message/transport.ts';

/**
 * Sends one request and resolves with the head of the answer. The body is a stream with backpressure. Fails with
 * WireError, whose stage is exact: undici calls `onRequestStart` before it writes the first byte.
 */
export function startStreamingExchange(connections: Connections, url: URL, request: WireRequest): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    let stage: Stage = 'not-sent';
    let settled = false;
    let controller: Dispatcher.DispatchController | undefined;
    const connection = connections.acquire();

    const body = new Readable({
      read: () => controller?.resume(),
      destroy: (error, done) => {
        if (!settled) {
          settle();
          controller?.abort(new Error('the rest of the body is not needed'));
        }
        done(error);
      },
    });
    // The reader of the body gets the error. Before it reads, an unhandled 'error' event would end the process.
    body.on('error', () => undefined);

    const settle = (): void => {
      settled = true;
      request.signal.removeEventListener('abort', onAbort);
    };
    const fail = (error: unknown): void => {
      if (settled) return;
      settle();
      const wireError = toWireError(stage, error);
      if (stage === 'answered') body.destroy(wireError);
      else reject(wireError);
    };
    const onAbort = (): void => {
      const reason = request.signal.reason as unknown;
      fail(reason);
      controller?.abort(reason instanceof Error ? reason : new Error('aborted'));
    };
    request.signal.addEventListener('abort', onAbort, { once: true });

    connection.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method,
        headers: { ...request.headers },
        body: bodyOf(request.body),
        // By default undici closes the connection after HEAD, and each look at a file would cost a new one.
        reset: false,
      },
      {
        onRequestStart: (started) => {
          controller = started;
          // Aborted while the connection was being opened: aborting now prevents that any byte is sent.
          if (settled) started.abort(new Error('aborted'));
          else stage = 'sent';
        },
        onResponseStart: (_, status, headers) => {
          if (settled) return;
          stage = 'answered';
          resolve({ status, headers: flatHeaders(headers), body });
        },
        onResponseData: (started, chunk) => {
          if (!settled && !body.push(chunk)) started.pause();
        },
        onResponseEnd: () => {
          connections.release(connection);
          if (settled) return;
          settle();
          body.push(null);
        },
        onResponseError: (_, error) => {
          connections.discard(connection);
          fail(error);
        },
      },
    );
  });
}

function bodyOf(body: WireRequest['body']): Buffer | Readable | null {
  if (body === undefined) return null;
  return body instanceof Uint8Array ? toBuffer(body) : Readable.from(body, { objectMode: false });
}
