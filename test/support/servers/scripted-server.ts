import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** The API key of these tests. No run may print it. */
export const KEY = 'key-of-a-fault-0123456789abcdef';

/** A complete request. */
export interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Exchange {
  readonly arrival: Arrival;
  readonly response: ServerResponse;
  /** For behaviour that an HTTP server does not have. */
  readonly socket: Socket;
}

/** What a scripted server does with one request. */
export type Behaviour = (exchange: Exchange) => void;

export const text =
  (body: string | Uint8Array, status = 200, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  ({ response }) => {
    response.writeHead(status, headers).end(body);
  };

/** A JSON answer. A string is sent as JSON text, unchanged. */
export const json = (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  text(typeof value === 'string' ? value : JSON.stringify(value), status, {
    'content-type': 'application/json',
    ...headers,
  });

/** An error in the form of the management API (specification 7.1). */
export const problem = (status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  json({ title: 'Trouble', status, detail }, status, { 'content-type': 'application/problem+json', ...headers });

/** Sends bytes unchanged, then closes the connection. */
export const raw =
  (bytes: string | Uint8Array): Behaviour =>
  ({ socket }) => {
    socket.end(bytes);
  };

/** Reads the request and resets the connection. */
export const reset: Behaviour = ({ socket }) => {
  socket.resetAndDestroy();
};

/** Reads the request and closes the connection. */
export const hangUp: Behaviour = ({ socket }) => {
  socket.end();
};

/** Reads the request and never answers. */
export const silent: Behaviour = () => undefined;

/** Answers with a body that arrives byte by byte, too slowly to ever end. */
export const drip: Behaviour = ({ response }) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' });
  const dripping = setInterval(() => response.write(' '), 5);
  response.on('close', () => {
    clearInterval(dripping);
  });
};

export interface ScriptedServer {
  readonly url: string;
  readonly port: number;
  /** The complete requests, in order. */
  readonly seen: readonly Arrival[];
  /** The number of connections that were opened. */
  readonly connections: () => number;
  /** Closes every connection, and takes no more. */
  readonly stop: () => void;
}

/**
 * Starts a real server on loopback. It answers the n-th request with the n-th behaviour of the script, and all further
 * requests with the last one.
 */
export async function serve(script: readonly Behaviour[], host = '127.0.0.1'): Promise<ScriptedServer> {
  const seen: Arrival[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    response.sendDate = false;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers, socket } = request;
      const arrival = { method, url, headers, body: Buffer.concat(chunks) };
      seen.push(arrival);
      (script[seen.length - 1] ?? script.at(-1) ?? silent)({ arrival, response, socket });
    });
  });
  server.on('connection', () => connections++);
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(stop);
  const port = await listen(server, host);
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${String(port)}`, port, seen, connections: () => connections, stop };
}

export const listen = (server: Server, host = '127.0.0.1'): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });

/** Chooses the behaviour by method and path, for commands that send several different requests. */
export const routed =
  (routes: Readonly<Record<string, Behaviour>>, otherwise: Behaviour = problem(404, 'resource not found')): Behaviour =>
  (exchange) => {
    const { method, url } = exchange.arrival;
    (routes[`${method} ${url.split('?')[0] ?? ''}`] ?? otherwise)(exchange);
  };

/** Environment variables with the addresses of a service and a key. */
export const pointedAt = (url: string): Readonly<Record<string, string>> => ({
  BERTH_BASE_URL: url,
  BERTH_QUEUE_URL: url,
  BERTH_REST_URL: url,
  BERTH_API_KEY: KEY,
});
