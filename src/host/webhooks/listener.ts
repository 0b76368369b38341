import { MINUTE_MS } from '../../core/durations.ts';
import type { IncomingMessage } from 'node:http';
import { cannotListen } from '../../core/addresses/cannot-listen.ts';
import { collectBytes } from '../../core/files/byte-streams.ts';
import type { HeaderPair, ListenOptions } from '../../core/ports/webhooks.ts';
import { formatBytes } from '../../core/units.ts';
import { boundAddress } from '../../core/addresses/bound-address.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** The largest body that is taken: more than the largest answer about a job. */
const MAX_BODY_BYTES: Bytes = 25_000_000;

/** How many senders may be connected at once: each may send a body of that size. */
const MAX_CONNECTIONS = 32;

/** How long a sender may take for one request, in milliseconds. */
const REQUEST_TIMEOUT_MS = MINUTE_MS;

/** Answers posts: see `Webhooks.listen`. The answer has a status and nothing else, so that no page can read anything. */
export async function listen({ host, port, onPost, onRefused }: ListenOptions) {
  const { createServer } = await import('node:http');
  const answer = async (incoming: IncomingMessage): Promise<number> => {
    const refuse = (status: number, reason: string): number => {
      onRefused(reason);
      return status;
    };
    const page = pageOf(incoming.headers);
    if (page !== undefined) return refuse(403, `a request of a web page is refused: ${page}`);
    if (incoming.method !== 'POST') return refuse(405, `${String(incoming.method)} is refused: a webhook is a POST`);
    const tooLarge = `a body of more than ${formatBytes(MAX_BODY_BYTES)} is refused`;
    if (Number(incoming.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return refuse(413, tooLarge);
    const body = await collectBytes(incoming.iterator({ destroyOnReturn: false }), MAX_BODY_BYTES);
    if (body === undefined) return refuse(413, tooLarge);
    return await onPost({ target: incoming.url ?? '/', headers: pairsOf(incoming.rawHeaders), body });
  };
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (incoming, outgoing) => {
    void answer(incoming)
      .catch(() => 500)
      .then((status) => {
        if (!incoming.complete) outgoing.setHeader('connection', 'close');
        outgoing.writeHead(status, { 'content-length': 0 }).end();
      });
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(cannotListen(error, port));
    });
    server.listen(port, host, resolve);
  });
  const { port: bound, address, family } = boundAddress(server);
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${String(bound)}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/**
 * What shows that a browser sent a request for a page; undefined for other programs. A browser sends Origin with each post,
 * and Sec-Fetch-* to this machine; Node's fetch sends `Sec-Fetch-Mode: cors` alone. Host is not looked at: a tunnel sends its own.
 */
function pageOf(headers: IncomingMessage['headers']): string | undefined {
  if (headers.origin !== undefined) return 'it has the header Origin';
  const name = ['sec-fetch-site', 'sec-fetch-dest', 'sec-fetch-user'].find((each) => headers[each] !== undefined);
  if (name !== undefined) return `it has the header ${name}`;
  return (headers['sec-fetch-mode'] ?? 'cors') === 'cors' ? undefined : 'it has the header sec-fetch-mode';
}

/** `raw` has names and values in turn. */
const pairsOf = (raw: readonly string[]): readonly HeaderPair[] =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
