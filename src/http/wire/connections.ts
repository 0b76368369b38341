import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Stage, WireAnswer, WireRequest } from '../transport.ts';
import { toWireError } from './client-errors.ts';

/** Connections to one origin, each used by one request at a time. */
export interface Connections {
  acquire(): Dispatcher;
  release(connection: Dispatcher): void;
  discard(connection: Dispatcher): void;
  destroy(): Promise<unknown>;
}

/** undici's pool opens extra connections. After an error all free ones close: they may be broken too. */
export function createConnections(open: () => Dispatcher): Connections {
  const all = new Set<Dispatcher>();
  const free: Dispatcher[] = [];
  const add = (): Dispatcher => {
    const client = open();
    all.add(client);
    return client;
  };
  return {
    acquire: () => free.pop() ?? add(),
    release: (client) => {
      free.push(client);
    },
    discard: (client) => {
      for (const each of [client, ...free.splice(0)]) {
        all.delete(each);
        each.destroy().catch(() => undefined);
      }
    },
    destroy: () => Promise.all([...all].map((client) => client.destroy())),
  };
}

export const sharedConnection = (dispatcher: Dispatcher): Connections => ({
  acquire: () => dispatcher,
  release: () => undefined,
  discard: () => undefined,
  destroy: () => dispatcher.destroy(),
});

/** One value per header: the values of a header that was sent several times are joined with `, `. */
const flatHeaders = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [name, typeof value === 'string' ? value : value.join(', ')]),
  );

/** Fails with WireError; its stage is exact, because undici calls `onRequestStart` before the first byte. */
export function sendRequest(connections: Connections, url: URL, request: WireRequest): Promise<WireAnswer> {
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
          // Informational answers (RFC 9110, 15.2) come before the answer.
          if (settled || status < 200) return;
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
  if (!(body instanceof Uint8Array)) return Readable.from(body, { objectMode: false });
  return Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
