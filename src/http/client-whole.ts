import type { Dispatcher } from 'undici';
import { flatten } from './client-exchange.ts';
import { describeTrouble } from './client-trouble.ts';
import { WireError, type Stage } from './transport.ts';

/** A request among thousands: the address cut into what the wire wants, so that it is done once. */
export interface WholeRequest {
  readonly origin: string;
  /** With its query. */
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  /** Name, value, name, value. */
  readonly headers: string[];
  readonly body: Uint8Array | undefined;
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
  { origin, path, method, headers, body }: WholeRequest,
  maxBytes: number,
  ended: () => void,
): Exchange {
  let stage: Stage = 'not-sent';
  let controller: Dispatcher.DispatchController | undefined;
  let givenUp: Error | undefined;
  const answer = new Promise<WholeAnswer>((resolve, reject) => {
    let status = 0;
    let head: Readonly<Record<string, string>> = {};
    let size = 0;
    const pieces: Buffer[] = [];
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        controller = started;
        // Given up while the connection was being made: every byte is kept back.
        if (givenUp === undefined) stage = 'sent';
        else started.abort(givenUp);
      },
      onResponseStart: (_, code, raw) => {
        if (code < 200) return;
        stage = 'answered';
        status = code;
        head = flatten(raw);
      },
      onResponseData: (started, piece) => {
        size += piece.byteLength;
        if (size > maxBytes) started.abort(new Error('the answer is too large'));
        else pieces.push(piece);
      },
      onResponseEnd: () => {
        ended();
        resolve({ status, headers: head, body: Buffer.concat(pieces) });
      },
      onResponseError: (_, error) => {
        ended();
        if (size > maxBytes) resolve({ status, headers: head, body: undefined });
        else reject(new WireError(stage, describeTrouble(error), error));
      },
    };
    client.dispatch(
      {
        origin,
        path,
        method,
        headers,
        body: body === undefined ? null : Buffer.from(body.buffer, body.byteOffset, body.byteLength),
      },
      handler,
    );
  });
  return {
    answer,
    giveUp: (reason) => {
      givenUp ??= reason;
      controller?.abort(reason);
    },
  };
}
