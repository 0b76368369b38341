import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import { kParser, kSocket, type ParsedSocket } from 'undici/lib/core/symbols.js';
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
export function createConnections(origin: string, options: Client.Options): Connections {
  const all = new Set<Dispatcher>();
  const free: Dispatcher[] = [];
  return {
    origin,
    acquire: () => {
      const client = free.pop() ?? skipContinue(new Client(origin, options));
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

/** What the parser does after a head: goes on with the next one. */
const NO_BODY = 1;

/** undici takes an unasked 100 (RFC 9110, 15.2.1), as some proxies send it, for an error: skipped, as it skips 102 and 103. */
export function skipContinue<T extends Dispatcher>(dispatcher: T): T {
  dispatcher.on('connect', (_origin, targets) => {
    // A pool puts itself before the client that connected.
    const client = targets.at(-1) as unknown as { readonly [kSocket]: ParsedSocket };
    const parser = client[kSocket][kParser];
    const onHeadersComplete = parser.onHeadersComplete.bind(parser);
    parser.onHeadersComplete = (status, upgrade, shouldKeepAlive) => {
      if (status !== 100) return onHeadersComplete(status, upgrade, shouldKeepAlive);
      Object.assign(parser, { statusCode: status, headers: [], headersSize: 0 });
      return NO_BODY;
    };
  });
  return dispatcher;
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
    const headers: Record<string, string> = {};
    /** What came of a body that is passed on as a whole. */
    let whole: Buffer | undefined;
    let stream: Readable | undefined;
    const { body, ending, take } = request;
    if (ending.reason !== undefined) {
      reject(new WireError('not-sent', 'aborted before it was sent', ending.reason));
      return;
    }
    const sent = body === undefined || body instanceof Uint8Array ? body : Readable.from(body, { objectMode: false });
    const connection = connections.acquire();

    const fail = (error: unknown): void => {
      if (settled) return;
      settled = true;
      const wireError = toWireError(stage, error);
      if (stream === undefined) reject(wireError);
      else stream.destroy(wireError);
    };
    ending.onEnd = (reason) => {
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
        body: sent ?? null,
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
          // A header that was sent several times has several values.
          for (const [name, value = ''] of Object.entries(received))
            headers[name] = typeof value === 'string' ? value : value.join(', ');
          // Of a refusal that breaks off, the status is enough.
          if (status < 300 && (take !== undefined || Number(headers['content-length']) <= MAX_WHOLE)) return;
          stream = openStream();
          resolve({ status, headers, body: stream });
        },
        onResponseData: (started, chunk) => {
          if (settled) return;
          // A stream and its iterator take a quarter of the CPU time of a download.
          if (take !== undefined && status < 300) take(chunk, { status, headers });
          else if (stream === undefined) whole = Buffer.concat(whole === undefined ? [chunk] : [whole, chunk]);
          else if (!stream.push(Buffer.from(chunk))) started.pause();
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
