import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { BufferedRequest, Exchange, Stage, WireAnswer, WireRequest } from '../transport.ts';
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

type UndiciHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** One value per header: the values of a header that was sent several times are joined with `, `. */
function flatHeaders(headers: UndiciHeaders): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined) flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}

const toBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const MAX_ERROR_BYTES = 1024 * 1024;

/** A body of this many bytes or more is collected in one buffer, so that it is not in memory twice when it is joined. */
const LONG_BODY = 1024 * 1024;

/** Uses undici's callbacks without a stream or signal: a batch sends thousands of requests a second. */
export function startBufferedExchange(
  connections: Connections,
  { origin, path, method, headers }: BufferedRequest,
  body: Uint8Array | undefined,
  maxBytes: number,
): Exchange {
  const connection = connections.acquire();
  const exchange = new BufferedExchange(connections, connection, maxBytes);
  connection.dispatch(
    {
      origin,
      path,
      method: method,
      headers,
      body: body === undefined ? null : toBuffer(body),
    },
    exchange,
  );
  return exchange;
}

/** A class, so that thousands of handlers share their methods. */
class BufferedExchange implements Dispatcher.DispatchHandler, Exchange {
  readonly answer: Promise<WireAnswer>;
  readonly #connections: Connections;
  readonly #connection: Dispatcher;
  #maxBytes: number;
  #stage: Stage = 'not-sent';
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  #size = 0;
  readonly #chunks: Buffer[] = [];
  /** For a long body whose length is known. Its memory is used only as chunks come. */
  #whole: Buffer | undefined;
  #resolve: (answer: WireAnswer) => void = ignore;
  #reject: (error: Error) => void = ignore;

  constructor(connections: Connections, connection: Dispatcher, maxBytes: number) {
    this.#connections = connections;
    this.#connection = connection;
    this.#maxBytes = maxBytes;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  abort(reason: Error): void {
    this.#aborted ??= reason;
    // While the connection is being opened there is no controller yet; the caller does not wait for that.
    this.#fail(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Aborted while the connection was being opened: aborting now prevents that any byte is sent.
    if (this.#aborted === undefined) this.#stage = 'sent';
    else controller.abort(this.#aborted);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: UndiciHeaders): void {
    this.#stage = 'answered';
    this.#status = status;
    this.#headers = flatHeaders(headers);
    if (status >= 300) this.#maxBytes = Math.min(this.#maxBytes, MAX_ERROR_BYTES);
    const length = Number(this.#headers['content-length']);
    if (length >= LONG_BODY && length <= this.#maxBytes) this.#whole = Buffer.allocUnsafeSlow(length);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // The parser never passes on more than the length that the answer says.
    if (this.#whole === undefined) this.#chunks.push(chunk);
    else chunk.copy(this.#whole, this.#size);
    this.#size += chunk.byteLength;
    if (this.#size <= this.#maxBytes) return;
    // The reader finds that the body is too large: the rest is not needed.
    this.#answer(this.#body());
    controller.abort(new Error('the answer is too large'));
  }

  onResponseEnd(): void {
    this.#connections.release(this.#connection);
    this.#answer(this.#body());
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#connections.discard(this.#connection);
    this.#fail(error);
  }

  #body(): Buffer {
    if (this.#whole !== undefined) return this.#whole.subarray(0, this.#size);
    const [only, ...more] = this.#chunks;
    return only !== undefined && more.length === 0 ? only : Buffer.concat(this.#chunks);
  }

  #answer(body: WireAnswer['body']): void {
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  /** An answer that breaks off still has a status. Does nothing when the promise is settled. */
  #fail(reason: Error): void {
    const error = toWireError(this.#stage, reason);
    if (this.#stage === 'answered') this.#answer(brokenBody(error));
    else this.#reject(error);
  }
}

const ignore = (): void => undefined;

const brokenBody = (error: Error): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }),
});

/** Fails with WireError; its stage is exact, because undici calls `onRequestStart` before the first byte. */
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
