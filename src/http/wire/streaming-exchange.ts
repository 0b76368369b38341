import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Connections } from './connections.ts';
import { describeCertificate, describeTrouble } from './client-errors.ts';
import { WireError, type Stage, type WireAnswer, type WireRequest } from './transport.ts';

/**
 * Hands one request to undici and gives the answer's head; the body follows as it is read, and no faster. Fails with
 * WireError. The stage is exact: undici says when it takes up a connection to write on, which is before the first byte.
 */
export function dispatchOnce(connections: Connections, url: URL, request: WireRequest): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    let stage: Stage = 'not-sent';
    let over = false;
    let controller: Dispatcher.DispatchController | undefined;

    const body = new Readable({
      read: () => controller?.resume(),
      destroy: (error, done) => {
        if (!over) {
          finish();
          controller?.abort(new Error('the rest is not wanted'));
        }
        done(error);
      },
    });
    // Whoever reads the body gets the error; before that, nobody listens.
    body.on('error', () => undefined);

    const finish = (): void => {
      over = true;
      request.signal.removeEventListener('abort', giveUp);
    };
    const fail = (error: unknown): void => {
      if (over) return;
      finish();
      const isCertificate = describeCertificate(error) !== undefined;
      const trouble = new WireError(stage, describeTrouble(error), error, isCertificate);
      if (stage === 'answered') body.destroy(trouble);
      else reject(trouble);
    };
    const giveUp = (): void => {
      const reason = request.signal.reason as unknown;
      fail(reason);
      controller?.abort(reason instanceof Error ? reason : new Error('given up'));
    };
    request.signal.addEventListener('abort', giveUp, { once: true });

    connections.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method,
        headers: { ...request.headers },
        body:
          request.body === undefined
            ? null
            : Buffer.from(request.body.buffer, request.body.byteOffset, request.body.byteLength),
      },
      {
        onRequestStart: (started) => {
          controller = started;
          // Given up while the connection was being made: aborting now keeps every byte back.
          if (over) started.abort(new Error('given up'));
          else stage = 'sent';
        },
        onResponseStart: (_, status, headers) => {
          if (over || status < 200) return;
          stage = 'answered';
          resolve({ status, headers: flatten(headers), body });
        },
        onResponseData: (started, chunk) => {
          if (!over && !body.push(chunk)) started.pause();
        },
        onResponseEnd: () => {
          if (over) return;
          finish();
          body.push(null);
        },
        onResponseError: (_, error) => {
          fail(error);
        },
      },
    );
  });
}

/** Headers by name; one that was sent several times is joined. */
export function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined) flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}
