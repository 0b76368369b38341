import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** The key of these tests: no run may show it. */
export const KEY = 'key-of-a-fault-0123456789abcdef';

/** A request that arrived whole. */
export interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Exchange {
  readonly arrival: Arrival;
  readonly response: ServerResponse;
  /** For what no HTTP server would do. */
  readonly socket: Socket;
}

/** What a scripted server does with one request. */
export type Behaviour = (exchange: Exchange) => void;

export const text =
  (body: string | Uint8Array, status = 200, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  ({ response }) => {
    response.writeHead(status, headers).end(body);
  };

/** A JSON answer; a string is JSON text already. */
export const json = (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  text(typeof value === 'string' ? value : JSON.stringify(value), status, {
    'content-type': 'application/json',
    ...headers,
  });

/** An error as the management API words it (specification 7.1). */
export const problem = (status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  json({ title: 'Trouble', status, detail }, status, { 'content-type': 'application/problem+json', ...headers });

/** Bytes as they are, then the connection is closed. */
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

/** Answers with a body that comes byte by byte and would take days. */
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
  /** Requests that arrived whole, in order. */
  readonly seen: readonly Arrival[];
  /** Connections that were opened. */
  readonly connections: () => number;
}

/** A real server on loopback that does the first thing with the first request, and the last with all that follow. */
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
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const port = await listen(server, host);
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${String(port)}`, port, seen, connections: () => connections };
}

export const listen = (server: Server, host = '127.0.0.1'): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });

/** The first request of each operation, so that one script serves a command that makes several. */
export const routed =
  (routes: Readonly<Record<string, Behaviour>>, otherwise: Behaviour = problem(404, 'resource not found')): Behaviour =>
  (exchange) => {
    const { method, url } = exchange.arrival;
    (routes[`${method} ${url.split('?')[0] ?? ''}`] ?? otherwise)(exchange);
  };

/** An environment that points at a service, with a key. */
export const pointedAt = (url: string): Readonly<Record<string, string>> => ({
  BERTH_BASE_URL: url,
  BERTH_QUEUE_URL: url,
  BERTH_REST_URL: url,
  BERTH_API_KEY: KEY,
});
