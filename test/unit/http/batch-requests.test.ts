import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { BatchApi, RateWindow } from '../../../src/core/api.ts';
import { createApi } from '../../../src/http/api.ts';
import { createTransport } from '../../../src/http/wire/client.ts';
import { traceLine } from '../../../src/http/trace.ts';
import { createTestClock } from '../../support/clocks/test-clock.ts';
import { failureOf, KEY } from '../../support/servers/http-server.ts';

type Handle = (request: IncomingMessage & { readonly text: string }, response: ServerResponse) => void;

interface Setup {
  readonly api: BatchApi;
  readonly send: BatchApi['send'];
  readonly interrupt: AbortController;
  readonly windows: (readonly RateWindow[])[];
  /** The lines that `--verbose` prints. */
  readonly trace: string[];
  readonly seen: { readonly method: string; readonly url: string; readonly text: string; readonly key: string }[];
}

async function setup(
  handle: Handle,
  options: { timeoutMs?: number; maxBytes?: number; port?: number } = {},
): Promise<Setup> {
  const seen: Setup['seen'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      seen.push({
        method: request.method ?? '',
        url: request.url ?? '',
        text,
        key: request.headers.authorization ?? '',
      });
      handle(Object.assign(request, { text }), response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const transport = createTransport({ env: {} });
  onTestFinished(async () => {
    await transport.close();
    server.closeAllConnections();
    server.close();
  });
  const port = options.port ?? (server.address() as AddressInfo).port;
  const interrupt = new AbortController();
  const windows: (readonly RateWindow[])[] = [];
  const trace: string[] = [];
  const api = createApi({
    transport,
    addresses: () => `http://127.0.0.1:${String(port)}/prefix`,
    key: () => Promise.resolve(KEY),
    clock: createTestClock(),
    random: () => 0.5,
    retries: 0,
    signal: interrupt.signal,
    timeoutMs: options.timeoutMs ?? 30_000,
    maxBytes: options.maxBytes ?? 1_000_000,
    userAgent: 'test',
    onWindows: (told) => {
      windows.push(told);
    },
    trace: (event) => trace.push(traceLine(event)),
  });
  return { api, send: (request) => api.send(request), interrupt, windows, trace, seen };
}

const RUN = { service: 'queue', method: 'POST', path: ['v2', 'ep1', 'run'] } as const;
const STATUS = { service: 'queue', method: 'GET', path: ['v2', 'ep1', 'status', 'a/b'] } as const;
const raw = (text: string): { raw: Uint8Array } => ({ raw: Buffer.from(text) });

describe('requests of a batch', () => {
  test('to one path each have their own body, the key, and one encoded segment for each part', async () => {
    const { send, seen } = await setup((_, response) => response.end('{"id":9007199254740993}'));
    const answers = await Promise.all([1, 2, 3].map((n) => send({ ...RUN, body: raw(`{"n":${String(n)}}`) })));
    await send(STATUS);
    expect(answers.map(({ text }) => text)).toEqual(Array(3).fill('{"id":9007199254740993}'));
    expect(seen.map(({ text }) => text).sort()).toEqual(['', '{"n":1}', '{"n":2}', '{"n":3}']);
    expect(
      seen
        .map(({ url }) => url)
        .sort()
        .slice(2),
    ).toEqual(['/prefix/v2/ep1/run', '/prefix/v2/ep1/status/a%2Fb']);
    expect(new Set(seen.map(({ key }) => key))).toEqual(new Set([`Bearer ${KEY}`]));
  });

  test('that share one path array are sent with their own method, body, query and headers', async () => {
    const { send, seen } = await setup((_, response) => response.end('{"id":"x"}'));
    const path = ['v2', 'ep1', 'x'];
    const base = { service: 'queue', path } as const;
    await send({ ...base, method: 'POST', body: raw('{"n":1}') });
    await send({ ...base, method: 'GET' });
    await send({ ...base, method: 'PATCH', body: { n: 2 } });
    await send({ ...base, method: 'PATCH', body: { n: 3 } });
    await send({ ...base, method: 'GET', query: { a: 1 } });
    await send({ ...base, method: 'GET', query: { a: 2 } });
    path[2] = 'y';
    await send({ ...base, method: 'GET', query: { a: 2 } });
    const place = '/prefix/v2/ep1';
    expect(seen.map(({ method, url, text }) => [method, url, text])).toEqual([
      ['POST', `${place}/x`, '{"n":1}'],
      ['GET', `${place}/x`, ''],
      ['PATCH', `${place}/x`, '{"n":2}'],
      ['PATCH', `${place}/x`, '{"n":3}'],
      ['GET', `${place}/x?a=1`, ''],
      ['GET', `${place}/x?a=2`, ''],
      ['GET', `${place}/y?a=2`, ''],
    ]);
  });

  test('that are prepared once carry their own bodies', async () => {
    const { api, seen } = await setup((_, response) => response.end('{"id":"x"}'));
    const run = api.prepare(RUN);
    await Promise.all([1, 2, 3].map((n) => run.send(raw(`{"n":${String(n)}}`))));
    await run.send({ n: 4 });
    expect(seen.map(({ text }) => text).sort()).toEqual(['{"n":1}', '{"n":2}', '{"n":3}', '{"n":4}']);
    expect(new Set(seen.map(({ method, url, key }) => `${method} ${url} ${key}`))).toEqual(
      new Set([`POST /prefix/v2/ep1/run Bearer ${KEY}`]),
    );
  });

  test('report rate windows, and decode compressed answers', async () => {
    const { send, windows } = await setup((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', ratelimit: '"minute";r=5;t=9' });
      response.end(gzipSync('{"id":"x"}'));
    });
    expect((await send(STATUS)).value).toEqual({ id: 'x' });
    expect(windows).toMatchObject([[{ name: 'minute', remaining: 5, resetSeconds: 9 }]]);
  });
});

describe('a failed request of a batch', () => {
  test.each([
    ['breaks off', ({ socket }) => socket.end('HTTP/1.1 429 No\r\ncontent-length: 50\r\n\r\n{"ti'), {}],
    ['never ends', ({ socket }) => socket.write('HTTP/1.1 429 No\r\ncontent-length: 50\r\n\r\n{'), { timeoutMs: 80 }],
    ['is too large', (_, response) => response.writeHead(429).end('x'.repeat(2_000_000)), {}],
  ] as readonly (readonly [string, Handle, { timeoutMs?: number }])[])(
    'the status of a refusal counts when its body %s',
    async (_, handle, options) => {
      const { send } = await setup(handle, options);
      expect(await failureOf(send({ ...RUN, body: raw('{}') }))).toMatchObject({ exit: 6 });
    },
  );
});
