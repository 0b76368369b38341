import type { Dispatcher } from 'undici';
import type { Connections } from './connections.ts';
import { toWireError } from './client-errors.ts';
import { flatHeaders, toBuffer, type UndiciHeaders } from './undici-conversions.ts';
import type { BufferedRequest, Exchange, Stage, WireAnswer } from '../message/transport.ts';

/** Bytes that are kept of a body whose status is not 2xx. */
const MAX_ERROR_BYTES = 1024 * 1024;

/** A body of this many bytes or more is collected in one buffer, so that it is not in memory twice when it is joined. */
const LONG_BODY = 1024 * 1024;

/**
 * Sends one request and collects the whole answer. It uses undici's callbacks directly, without a stream and without an
 * abort signal, because a batch sends thousands of requests a second.
 */
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
