import type { IncomingMessage, ServerResponse } from 'node:http';
import { boundAddress } from '../../core/addresses.ts';
import { usage } from '../../core/failure.ts';
import { errorCode } from '../../core/files.ts';
import { Problem } from '../contract/problem.ts';
import { DroppedConnection } from './faults.ts';
import { addressParts, type LocalAnswer, type LocalRequest } from './operation.ts';

const LOOPBACK_HOST = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * The reason to refuse a request that came over HTTP; undefined when it may be answered. Any web page in a browser on this
 * machine can send requests to loopback, and with DNS rebinding under its own host name. So Host must be a loopback name,
 * and the headers with which a browser describes the sender (Origin, Sec-Fetch-*) must name this service, or a person who
 * typed the address. Other programs do not send these headers, except that Node's fetch sends `Sec-Fetch-Mode: cors`.
 */
function refusalReason({ origin: sentTo, headers }: Pick<LocalRequest, 'origin' | 'headers'>): string | undefined {
  const { host = '', origin } = headers;
  // A request line with an absolute URL overrides Host.
  if (!LOOPBACK_HOST.test(host) || !LOOPBACK_HOST.test(sentTo.slice('http://'.length)))
    return 'the Host of this request is not this machine: use localhost, 127.0.0.1 or [::1]';
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    return 'this request comes from a web page of another origin';
  return isCrossSiteFetch(headers) ? 'this request comes from a web page of another site' : undefined;
}

function isCrossSiteFetch(headers: LocalRequest['headers']): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest, 'sec-fetch-user': user } = headers;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return (mode !== undefined && mode !== 'cors') || dest !== undefined || user !== undefined;
}

/** Rejects with DroppedConnection when the connection is to be closed. */
interface RequestHandler {
  answer(request: LocalRequest): Promise<LocalAnswer>;
}

export interface ServedService {
  readonly url: string;
  readonly port: number;
  /** Closes all connections and the port. Does not stop the service itself. */
  stop(): Promise<void>;
}

/** On loopback; port 0 for any free one. Fails with usage (2) when the port is in use or cannot be opened. */
export async function serveLocal(
  service: RequestHandler,
  { port, host }: { readonly port: number; readonly host: '127.0.0.1' | '::1' },
): Promise<ServedService> {
  // Loaded here: a command with --local serves nobody.
  const { createServer } = await import('node:http');
  const server = createServer((incoming, outgoing) => {
    void serveRequest(service, incoming, outgoing);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(cannotListen(error, port));
    });
    server.listen(port, host, resolve);
  });
  const { port: bound } = boundAddress(server);
  return {
    port: bound,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${String(bound)}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** Never rejects. */
async function serveRequest(service: RequestHandler, incoming: IncomingMessage, outgoing: ServerResponse) {
  try {
    const answer = await answerOf(service, incoming, outgoing);
    const headers = (await discardRest(incoming)) ? answer.headers : { ...answer.headers, connection: 'close' };
    await send({ ...answer, headers }, incoming.method === 'HEAD', outgoing);
  } catch {
    // A dropped connection, a caller who has disconnected, or an event stream that broke off.
    incoming.socket.destroy();
  }
}

/** Rejects when the connection is to be closed without an answer. */
async function answerOf(service: RequestHandler, incoming: IncomingMessage, outgoing: ServerResponse) {
  const caller = new AbortController();
  outgoing.once('close', () => {
    caller.abort(new Error('the caller has disconnected'));
  });
  const request = requestOf(incoming, caller.signal);
  if (request === undefined) return { status: 400, headers: {}, body: '' };
  const refusal = refusalReason(request);
  if (refusal !== undefined) return refused(new Problem(403, refusal));
  try {
    return await service.answer(request);
  } catch (error) {
    if (error instanceof DroppedConnection || outgoing.destroyed) throw error;
    // This program failed: its state file, or a bug.
    return refused(new Problem(500, error instanceof Error ? error.message : String(error)));
  }
}

const refused = ({ status, document }: Problem): LocalAnswer => ({
  status,
  headers: { 'content-type': 'application/problem+json' },
  body: JSON.stringify(document),
});

function requestOf(incoming: IncomingMessage, signal: AbortSignal): LocalRequest | undefined {
  const headers = headersOf(incoming);
  const { method = '', url = '' } = incoming;
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  // A parser of addresses reads a backslash in a path as a slash.
  if (url.split('?', 1)[0]?.includes('\\') === true) return undefined;
  try {
    return {
      method,
      ...addressParts(url.startsWith('/') ? `http://${headers['host'] ?? ''}${url}` : url),
      headers,
      body: hasBody ? incoming.iterator({ destroyOnReturn: false }) : undefined,
      signal,
    };
  } catch {
    return undefined;
  }
}

const headersOf = ({ headersDistinct }: IncomingMessage): LocalRequest['headers'] =>
  Object.fromEntries(Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]));

/** Rejects when an event stream breaks off, or its caller disconnects. */
async function send({ status, headers, body }: LocalAnswer, isHead: boolean, outgoing: ServerResponse): Promise<void> {
  if (typeof body === 'string') {
    const hasLength = body !== '' && !isHead;
    outgoing.writeHead(status, hasLength ? { ...headers, 'content-length': String(Buffer.byteLength(body)) } : headers);
    outgoing.end(body);
    return;
  }
  outgoing.writeHead(status, headers);
  outgoing.flushHeaders();
  const { pipeline } = await import('node:stream/promises');
  await pipeline(body, outgoing);
}

const MAX_DISCARDED_BYTES = 256_000_000;

/** Unread, it would precede the next request or lose the answer. False when it is too large. */
async function discardRest(incoming: IncomingMessage): Promise<boolean> {
  let size = 0;
  if (!incoming.complete && !incoming.destroyed)
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      size += (chunk as Uint8Array).byteLength;
      if (size > MAX_DISCARDED_BYTES) break;
    }
  return incoming.complete;
}

const cannotListen = (error: Error, port: number) =>
  errorCode(error) === 'EADDRINUSE'
    ? usage(`port ${String(port)} is in use`, 'Choose another one; --port 0 takes a free one.')
    : usage(`cannot listen on port ${String(port)}: ${error.message}`);
