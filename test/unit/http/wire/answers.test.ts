import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodeJson } from '../../../../src/core/json.ts';
import { hintOf } from '../../../support/text/hint-of.ts';
import {
  connect,
  failureOf,
  json,
  onRequest,
  read,
  serve,
  serveTcp,
  write,
} from '../../../support/servers/http-server.ts';

const HTML = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>';

describe('a successful request', () => {
  it('returns the whole answer with exact numbers', async () => {
    const text = '{"a":1,"a":2,"big":9007199254740993,"huge":1e400,"deep":' + '['.repeat(5000) + ']'.repeat(5000) + '}';
    const server = await serve((response) => {
      json(response, text);
    });
    const answer = await connect(server.url).api.send(read);
    expect(answer).toMatchObject({ status: 200, text });
    expect(encodeJson(answer.value ?? null)).toBe(text.replace('"a":1,', ''));
  });

  it('is sent once, to the right address, with the key', async () => {
    const server = await serve((response) => {
      json(response, {}, 201);
    });
    await connect(`${server.url}/prefix/`).api.send({
      ...write,
      path: ['v2', 'a/b'],
      query: { wait: 1000, none: undefined },
    });
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      url: '/prefix/v2/a%2Fb?wait=1000',
      body: Buffer.from('{"name":"n"}'),
    });
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: 'Bearer test-key-0123456789abcdef',
      'content-type': 'application/json',
      'content-length': '12',
      'user-agent': 'berth/test',
    });
  });

  it('sends a raw body byte for byte', async () => {
    const raw = Buffer.from('{ "input" : {"n":9007199254740993,"é":"\\u0000"} }\n');
    const server = await serve((response) => {
      json(response, {});
    });
    await connect(server.url).api.send({ ...write, body: { raw: new Uint8Array(raw) } });
    expect(server.seen[0]?.body.equals(raw)).toBe(true);
  });

  it('uses one connection for several requests', async () => {
    const ports = new Set<number | undefined>();
    const server = await serve((response) => {
      ports.add(response.socket?.remotePort);
      json(response, {});
    });
    const { api } = connect(server.url);
    for (let count = 0; count < 3; count++) await api.send(read);
    expect(server.seen).toHaveLength(3);
    expect(ports.size).toBe(1);
  });

  it.each([204, 200])('with %i and no body is a success of a DELETE', async (status) => {
    const server = await serve((response) => {
      response.writeHead(status).end();
    });
    const answer = await connect(server.url).api.send({ ...read, method: 'DELETE' });
    expect(answer).toMatchObject({ status, text: '', value: undefined });
  });

  it('returns text if the request accepts any answer', async () => {
    const server = await serve((response) => {
      response.end('plain words');
    });
    const answer = await connect(server.url).api.send({
      ...read,
      headers: { Accept: 'text/plain' },
      expects: 'anything',
    });
    expect(answer).toMatchObject({ text: 'plain words', value: undefined });
    expect(server.seen[0]?.headers.accept).toBe('text/plain');
  });

  it('reports the rate windows, after errors too', async () => {
    const server = await serve((response, _, count) => {
      json(response, {}, count === 1 ? 200 : 404, { RateLimit: `"minute";r=${String(60 - count)};t=5` });
    });
    const { api, windows } = connect(server.url);
    await api.send(read);
    await failureOf(api.send(read));
    expect(windows.map((told) => told[0]?.remaining)).toEqual([59, 58]);
  });
});

describe('an answer that cannot be used', () => {
  it('a 502 with a page: a read is retried and then ends 7 without printing the page; a write ends 8', async () => {
    const server = await serve((response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end(HTML);
    });
    const { api, clock } = connect(server.url);
    const failure = await failureOf(api.send(read));
    expect(failure).toMatchObject({ exit: 7, code: 'unavailable', status: 502, detail: '502 Bad Gateway' });
    expect(failure.message).toContain('502');
    expect(JSON.stringify(failure.facts())).not.toMatch(/<|nginx/);
    expect(server.seen).toHaveLength(4);
    expect(clock.slept).toEqual([250, 500, 1000]);

    const lost = await failureOf(api.send(write));
    expect(lost).toMatchObject({ exit: 8, code: 'outcome-unknown', status: 502, id: 'p1' });
    expect(hintOf(lost)).toContain('may have happened');
    expect(hintOf(lost)).toContain('berth pods list');
    expect(server.seen).toHaveLength(5);
  });

  it.each([
    ['with content-length', 'content-length: 100\r\n\r\n{"id":"p1","na'],
    ['with a long content-length', 'content-length: 2000000\r\n\r\n{"id":"p1","na'],
    ['in chunks', 'transfer-encoding: chunked\r\n\r\ne\r\n{"id":"p1","na\r\n'],
    ['without either', 'connection: close\r\n\r\n{"id":"p1","na'],
  ])('a truncated body, %s: a read is retried and then ends 7; a write ends 8', async (_, rest) => {
    let requests = 0;
    const server = await serveTcp((socket) => {
      onRequest(socket, () => {
        requests++;
        socket.end(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${rest}`);
      });
    });
    const { api } = connect(server.url);
    expect(await failureOf(api.send(read))).toMatchObject({ exit: 7, code: 'unavailable' });
    expect(requests).toBe(4);
    const lost = await failureOf(api.send(write));
    expect(lost).toMatchObject({ exit: 8, code: 'outcome-unknown' });
    expect(hintOf(lost)).toContain('berth pods list');
    expect(requests).toBe(5);
  });

  it('text with the content type of JSON that is not JSON is refused, even if any text is accepted', async () => {
    const server = await serve((response) => {
      json(response, '{"id":');
    });
    const { api } = connect(server.url);
    expect(await failureOf(api.send({ ...read, headers: { accept: '*/*' } }))).toMatchObject({ exit: 7 });
    expect(await failureOf(api.send({ ...read, method: 'DELETE' }))).toMatchObject({ exit: 8 });
  });

  it('a truncated body and then a whole one: the read succeeds', async () => {
    const server = await serve((response, _, count) => {
      if (count === 1) response.writeHead(200, { 'content-length': 100 }).write('{"id":', () => response.destroy());
      else json(response, { id: 'p1' });
    });
    expect((await connect(server.url).api.send(read)).value).toEqual({ id: 'p1' });
  });

  it('an empty 200 where JSON is expected: 7, or 8 for a write', async () => {
    const server = await serve((response) => {
      response.writeHead(200).end();
    });
    const { api } = connect(server.url);
    const failure = await failureOf(api.send(read));
    expect(failure).toMatchObject({ exit: 7 });
    expect(failure.message).toContain('empty');
    expect(await failureOf(api.send(write))).toMatchObject({ exit: 8 });
    expect(server.seen).toHaveLength(2);
  });

  it('a page with status 200: 7, and the page is not printed', async () => {
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(HTML);
    });
    const failure = await failureOf(connect(server.url).api.send(read));
    expect(failure.exit).toBe(7);
    expect(JSON.stringify(failure.facts())).not.toContain('nginx');
  });

  it('an error with a truncated body is reported by its status', async () => {
    const server = await serve((response) => {
      response.writeHead(422, { 'content-length': 100 }).write('{"title":', () => response.destroy());
    });
    expect(await failureOf(connect(server.url).api.send(write))).toMatchObject({ exit: 5, status: 422 });
  });
});

describe('compression', () => {
  const text = JSON.stringify({ words: 'again and '.repeat(1000) });
  const codings: Record<string, (data: Uint8Array) => Buffer> = {
    gzip: gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
  };
  it.each([['gzip'], ['deflate'], ['br'], ['identity'], ['gzip, br'], ['br, gzip, deflate'], ['X-GZIP']])(
    '%s',
    async (encoding) => {
      const names = encoding.toLowerCase().replace('x-', '').split(', ');
      const body = names.reduce<Uint8Array>((data, name) => codings[name]?.(data) ?? data, Buffer.from(text));
      const server = await serve((response) => {
        response.writeHead(200, { 'content-encoding': encoding }).end(body);
      });
      expect((await connect(server.url).api.send(read)).text).toBe(text);
    },
  );

  it.each([
    ['damaged', 'gzip', gzipSync(text).fill(0xff, 20, 40)],
    ['cut off', 'gzip', gzipSync(text).subarray(0, 30)],
    ['not what it says', 'br', Buffer.from(text)],
    ['of an unknown kind', 'zstd', Buffer.from(text)],
    ['stacked too high', 'gzip, gzip, gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(gzipSync(gzipSync(text)))))],
  ])('%s: 7, or 8 for a write', async (_, encoding, body) => {
    const server = await serve((response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(body);
    });
    const { api } = connect(server.url);
    expect(await failureOf(api.send(read))).toMatchObject({ exit: 7 });
    expect(await failureOf(api.send(write))).toMatchObject({ exit: 8 });
  });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(300_000_000))],
    ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(300_000_000)))],
  ])('a decompression bomb in %s is stopped at 64 MiB, with bounded memory', async (encoding, bomb) => {
    const server = await serve((response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(bomb);
    });
    const before = process.memoryUsage().rss;
    const failure = await failureOf(connect(server.url).api.send(read));
    expect(failure.exit).toBe(7);
    expect(failure.message).toContain('larger than 67.1 MB');
    expect(server.seen).toHaveLength(1);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  it('stops reading a plain body at the cap too', async () => {
    let sent = 0;
    const server = await serve((response) => {
      const chunk = Buffer.alloc(65_536, ' ');
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const { api } = connect(server.url, { maxBytes: 1_000_000 });
    expect(await failureOf(api.send(read))).toMatchObject({ exit: 7 });
    expect(sent).toBeLessThan(50_000_000);
  });
});
