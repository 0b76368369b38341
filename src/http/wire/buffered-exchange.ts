import type { Dispatcher } from 'undici';
import { flatten } from './streaming-exchange.ts';
import { describeCertificate, describeTrouble } from './client-errors.ts';
import { WireError, type Stage } from './transport.ts';

/** What requests among thousands have in common: the address cut into what the wire wants, so that it is done once. */
export interface WholeRequest {
  readonly origin: string;
  /** With its query. */
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  /** Name, value, name, value. */
  readonly headers: string[];
}

/** An answer that has come to its end. */
export interface WholeAnswer {
  readonly status: number;
  /** Names in lower case; a header sent several times is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** As sent, still encoded; undefined where it is larger than was asked for. */
  readonly body: Buffer | undefined;
}

/** A request on the wire that can be given up. */
export interface Exchange {
  readonly answer: Promise<WholeAnswer>;
  giveUp(reason: Error): void;
}

/**
 * One request and all of its answer, with as little in between as there can be: undici's callbacks, no stream, no signal of
 * its own. `ended` is called when the connection is free again. Fails with WireError, as dispatchOnce does.
 */
export function exchangeWhole(
  client: Dispatcher,
  { origin, path, method, headers }: WholeRequest,
  body: Uint8Array | undefined,
  maxBytes: number,
  ended: () => void,
): Exchange {
  const hearing = new Hearing(maxBytes, ended);
  client.dispatch(
    {
      origin,
      path,
      method,
      headers,
      body: body === undefined ? null : bufferOf(body),
    },
    hearing,
  );
  return hearing;
}

/** As undici gives them. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

const nobody = (): void => undefined;

/** Hears one answer out. A class, for undici calls methods of one object, and thousands are made a second. */
class Hearing implements Dispatcher.DispatchHandler, Exchange {
  readonly answer: Promise<WholeAnswer>;
  readonly #maxBytes: number;
  readonly #ended: () => void;
  #stage: Stage = 'not-sent';
  #controller: Dispatcher.DispatchController | undefined;
  #givenUp: Error | undefined;
  #status = 0;
  #head: Readonly<Record<string, string>> = {};
  #size = 0;
  readonly #pieces: Buffer[] = [];
  #resolve: (answer: WholeAnswer) => void = nobody;
  #reject: (error: WireError) => void = nobody;

  constructor(maxBytes: number, ended: () => void) {
    this.#maxBytes = maxBytes;
    this.#ended = ended;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  giveUp(reason: Error): void {
    this.#givenUp ??= reason;
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Given up while the connection was being made: every byte is kept back.
    if (this.#givenUp === undefined) this.#stage = 'sent';
    else controller.abort(this.#givenUp);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return;
    this.#stage = 'answered';
    this.#status = status;
    this.#head = flatten(headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    this.#size += piece.byteLength;
    if (this.#size > this.#maxBytes) controller.abort(new Error('the answer is too large'));
    else this.#pieces.push(piece);
  }

  onResponseEnd(): void {
    this.#ended();
    this.#resolve({ status: this.#status, headers: this.#head, body: joined(this.#pieces) });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#ended();
    if (this.#size > this.#maxBytes) this.#resolve({ status: this.#status, headers: this.#head, body: undefined });
    else {
      const isCertificate = describeCertificate(error) !== undefined;
      this.#reject(new WireError(this.#stage, describeTrouble(error), error, isCertificate));
    }
  }
}

const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const joined = (pieces: readonly Buffer[]): Buffer =>
  pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
