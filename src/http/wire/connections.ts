import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Bytes } from '../../core/unit-types.ts';
import { type Stage, type WireAnswer, WireError, type WireRequest } from '../transport.ts';
import { toWireError } from './client-errors.ts';

/** Connections to one origin, each used by one request at a time. */
export interface Connections {
  readonly origin: string;
  acquire(): Dispatcher;
  release(connection: Dispatcher): void;
  discard(connection: Dispatcher): void;
  destroy(): Promise<unknown>;
}

/** undici's pool opens extra connections. After an error all free ones close: they may be broken too. */
export function createConnections(origin: string, open: () => Dispatcher): Connections {
  const all = new Set<Dispatcher>();
  const free: Dispatcher[] = [];
  return {
    origin,
    acquire: () => {
      const client = free.pop() ?? open();
      all.add(client);
      return client;
    },
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

export const sharedConnection = (origin: string, dispatcher: Dispatcher): Connections => ({
  origin,
  acquire: () => dispatcher,
  release: () => undefined,
  discard: () => undefined,
  destroy: () => dispatcher.destroy(),
});

/** One value per header: the values of a header that was sent several times are joined with `, `. */
function flatHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name] ?? '';
    flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}

/** Bytes. A stream for a shorter body costs more than the request. */
const MAX_WHOLE: Bytes = 16 * 1024;

/** Fails with WireError; its stage is exact, because undici calls `onRequestStart` before the first byte. */
export function sendRequest(connections: Connections, path: string, request: WireRequest): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    let stage: Stage = 'not-sent';
    let settled = false;
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: WireAnswer['headers'] = {};
    /** What came of a body that is passed on as a whole. */
    let whole: Buffer | undefined;
    let stream: Readable | undefined;
    // Also while the client was being loaded.
    const { reason } = request.ending;
    if (reason !== undefined) {
      reject(new WireError('not-sent', 'aborted before it was sent', reason));
      return;
    }
    const connection = connections.acquire();

    const fail = (error: unknown): void => {
      if (settled) return;
      settled = true;
      const wireError = toWireError(stage, error);
      if (stream === undefined) reject(wireError);
      else stream.destroy(wireError);
    };
    request.ending.onEnd = (reason) => {
      if (settled) return;
      fail(reason);
      controller?.abort(reason);
    };

    const openStream = (): Readable => {
      const body = new Readable({
        read: () => controller?.resume(),
        destroy: (error, done) => {
          if (!settled) {
            settled = true;
            controller?.abort(new Error('the rest of the body is not needed'));
          }
          done(error);
        },
      });
      // The reader of the body gets the error. Before it reads, an unhandled 'error' event would end the process.
      return body.on('error', () => undefined);
    };

    connection.dispatch(
      {
        origin: connections.origin,
        path,
        method: request.method,
        headers: request.headers,
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
        onResponseStart: (_, answered, received) => {
          // Informational answers (RFC 9110, 15.2) come before the answer.
          if (settled || answered < 200) return;
          stage = 'answered';
          status = answered;
          headers = flatHeaders(received);
          // Of a refusal that breaks off, the status is enough.
          if (status < 300 && Number(headers['content-length']) <= MAX_WHOLE) return;
          stream = openStream();
          resolve({ status, headers, body: stream });
        },
        onResponseData: (started, chunk) => {
          if (settled) return;
          if (stream === undefined) whole = whole === undefined ? chunk : Buffer.concat([whole, chunk]);
          else if (!stream.push(chunk)) started.pause();
        },
        onResponseEnd: () => {
          connections.release(connection);
          // Else memory holds this request with the next ones of its connection: most of the garbage of a batch.
          controller = undefined;
          if (settled) return;
          settled = true;
          if (stream !== undefined) stream.push(null);
          else resolve({ status, headers, body: whole ?? Buffer.alloc(0) });
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
