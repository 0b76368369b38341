import type { ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { BatchApi } from '../../../src/core/api.ts';
import { Failure } from '../../../src/core/failure.ts';
import { berth as command } from '../../../src/core/message.ts';
import { type ApiOptions, createApi } from '../../../src/http/api.ts';
import { createTransport, type TransportOptions } from '../../../src/http/wire/client.ts';
import { traceLine } from '../../../src/http/trace.ts';
import { createTestClock, type TestClock } from '../clocks/test-clock.ts';
import { listen, serve as scripted, type Arrival, type ScriptedServer } from './scripted-server.ts';

export { freePort } from './ports.ts';

export const KEY = 'test-key-0123456789abcdef';

/** A real HTTP server on loopback. It stops when the test ends. */
export const serve = (
  handle: (response: ServerResponse, seen: Arrival, count: number) => void,
): Promise<ScriptedServer> => {
  let count = 0;
  return scripted([
    ({ arrival, response }) => {
      handle(response, arrival, ++count);
    },
  ]);
};

/** A real TCP server on loopback, for behaviour that an HTTP server does not have. */
export async function serveTcp(
  handle: (socket: Socket, count: number) => void,
): Promise<{ port: number; url: string }> {
  const open = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    handle(socket, ++count);
  });
  const port = await listen(server);
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { port, url: `http://127.0.0.1:${String(port)}` };
}

/** Calls `handle` with the head of each complete request on a socket (head and content-length body). */
export function onRequest(socket: Socket, handle: (head: string) => void): void {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (text.length < end + 4 + length) return;
    const head = text.slice(0, end);
    text = text.slice(end + 4 + length);
    handle(head);
  });
}

export interface World {
  readonly api: BatchApi;
  readonly clock: TestClock;
  readonly interrupt: AbortController;
  /** The lines that `--verbose` would print. */
  readonly trace: string[];
}

/** An Api on the real transport with a test clock. Its connections are closed when the test ends. */
export function connect(base: string, options: Partial<ApiOptions> = {}, wire: Partial<TransportOptions> = {}): World {
  const clock = createTestClock();
  const interrupt = new AbortController();
  const trace: string[] = [];
  const transport = createTransport({ env: {}, ...wire });
  onTestFinished(() => transport.close());
  const api = createApi({
    transport,
    addresses: () => base,
    key: () => Promise.resolve(KEY),
    clock,
    random: () => 0.5,
    signal: interrupt.signal,
    retries: 3,
    timeoutMs: 60_000,
    userAgent: 'berth/test',
    maxBytes: 64 * 1024 * 1024,
    trace: (event) => trace.push(traceLine(event)),
    ...options,
  });
  return { api, clock, interrupt, trace };
}

export const read = { service: 'base', method: 'GET', path: ['v2', 'pods', 'p1'] } as const;
export const write = {
  service: 'base',
  method: 'POST',
  path: ['v2', 'pods'],
  body: { name: 'n' },
  checkCommand: command`pods list`,
  id: 'p1',
} as const;

/** Returns the Failure that the work ends with, and checks that none of its facts holds the key. */
export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Failure)) throw new Error('did not fail as it should', { cause: error });
  expect(JSON.stringify(error.facts())).not.toContain(KEY);
  return error;
}

export function json(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}
