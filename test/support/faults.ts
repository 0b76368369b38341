import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { ExitCode } from '../../src/core/exit-codes.ts';
import { berth, type Ran } from './cli.ts';
import { createTestClock, type TestClock } from './clock.ts';
import type { TestWorldOptions } from './world.ts';

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

export interface PatienceClock extends TestClock {
  /** Every deadline that is running passes now. */
  readonly expire: () => void;
  /** The behaviour, and then no more patience with it. */
  patientFor(behaviour: Behaviour): Behaviour;
}

/** A test clock whose deadlines pass when the test says so, and never by themselves. */
export function createPatienceClock(): PatienceClock {
  const running = new Set<AbortController>();
  const expire = (): void => {
    for (const each of running) each.abort(new Error('deadline'));
    running.clear();
  };
  return {
    ...createTestClock(),
    deadline: () => {
      const controller = new AbortController();
      running.add(controller);
      return { signal: controller.signal, cancel: () => running.delete(controller) };
    },
    expire,
    patientFor: (behaviour) => (exchange) => {
      behaviour(exchange);
      setImmediate(expire);
    },
  };
}

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

/** What no run may do, however it ends: print a stack trace, or the key. */
export function expectSound({ out, err }: Pick<Ran, 'out' | 'err'>): void {
  expect(`${out}\n${err}`).not.toMatch(/\n\s+at /);
  expect(out + err).not.toContain(KEY);
}

/** The error object of `--json` (design of the output: members absent where they do not apply). */
export interface ErrorObject {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly status?: number;
  readonly detail?: string;
  readonly errors?: readonly string[];
  readonly retryAfter?: number;
  readonly request?: { readonly method: string; readonly url: string };
  readonly id?: string;
}

export interface Expected {
  readonly exit: ExitCode;
  /** What the error must say, in words for a person and as JSON alike. */
  readonly says: readonly (string | RegExp)[];
  /** What was printed before it went wrong; nothing by default. */
  readonly out?: RegExp;
  /** Lines on stderr before the error; none by default. */
  readonly told?: RegExp;
}

export interface Failed {
  /** Of the run with --json. */
  readonly error: ErrorObject;
  /** The block a person reads. */
  readonly block: string;
  /** What a server of each run saw: first the one for a person, then the one with --json. */
  readonly servers: readonly [ScriptedServer, ScriptedServer];
  readonly runs: readonly [Ran, Ran];
}

/**
 * Runs a command that must fail, once for a person and once with --json, each in a world and against a server of its
 * own, and checks what holds for every failure: exit code, no stack trace, no key, nothing but data on stdout, and an
 * error that says what happened and what to do.
 */
export async function fails(
  argv: readonly string[],
  expected: Expected,
  script: readonly Behaviour[] = [],
  options: TestWorldOptions = {},
): Promise<Failed> {
  const servers = [await serve(script), await serve(script)] as const;
  const run = (server: ScriptedServer, flags: readonly string[]): Promise<Ran> =>
    berth([...flags, ...argv], { ...options, env: { ...pointedAt(server.url), ...options.env } });
  const runs = [await run(servers[0], []), await run(servers[1], ['--json'])] as const;
  const block = expectBlock(runs[0], expected);
  const error = expectErrorObject(runs[1], expected);
  return { error, block, servers, runs };
}

/** Checks the block of a failure that was said to a person. */
export function expectBlock(ran: Ran, expected: Expected): string {
  expectEnd(ran, expected);
  const at = ran.err.lastIndexOf('error: ');
  expectTold(ran.err.slice(0, Math.max(0, at)), expected);
  const block = ran.err.slice(at);
  expect(block).toMatch(/^error: \S/);
  expect(block, 'a failure says what to do next').toMatch(/\n {2}(-> \S|wait )/);
  for (const words of expected.says) expect(block).toMatch(words);
  return block;
}

/** Checks the error object of a run with --json: one, on the last line of stderr. */
export function expectErrorObject(ran: Ran, expected: Expected): ErrorObject {
  expectEnd(ran, expected);
  const lines = ran.err.trimEnd().split('\n');
  const last = lines.pop() ?? '';
  expectTold(lines.map((line) => `${line}\n`).join(''), expected);
  const { error, ...others } = JSON.parse(last) as { readonly error: ErrorObject };
  expect(others).toEqual({});
  expect(error).toMatchObject({ code: expect.stringMatching(/^[a-z-]+$/) as string });
  const words = [error.message, error.hint, error.detail, ...(error.errors ?? [])].join('\n');
  for (const word of expected.says) expect(words).toMatch(word);
  return error;
}

function expectEnd(ran: Ran, expected: Expected): void {
  expectSound(ran);
  expect(ran.code, ran.err).toBe(expected.exit);
  expect(ran.out).toMatch(expected.out ?? /^$/);
}

function expectTold(before: string, { told }: Expected): void {
  if (told === undefined) expect(before).toBe('');
  else expect(before).toMatch(told);
}

/** Runs a command that must end 0 against a server, and checks what holds for every run. */
export async function works(
  argv: readonly string[],
  script: readonly Behaviour[],
  options: TestWorldOptions = {},
): Promise<Ran & { readonly server: ScriptedServer }> {
  const server = await serve(script);
  const ran = await berth(argv, { ...options, env: { ...pointedAt(server.url), ...options.env } });
  expectSound(ran);
  expect(ran.code, ran.err).toBe(0);
  return { ...ran, server };
}
