import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { encodeJson } from '../../../../src/core/json.ts';
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

describe('a successful request', () => {
  it('returns the whole answer with exact numbers', async () => {
    const text = '{"a":1,"a":2,"big":9007199254740993,"huge":1e400}';
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
});

describe('an answer that cannot be used', () => {
  it('an error with a truncated body is reported by its status', async () => {
    const server = await serve((response) => {
      response.writeHead(422, { 'content-length': 100 }).write('{"title":', () => response.destroy());
    });
    expect(await failureOf(connect(server.url).api.send(write))).toMatchObject({ exit: 5, status: 422 });
  });
});

describe('compression', () => {
  const text = JSON.stringify({ words: 'again and '.repeat(1000) });
  it.each([
    ['gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('%s', async (encoding, body) => {
    const server = await serve((response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(body);
    });
    expect((await connect(server.url).api.send(read)).text).toBe(text);
  });
});

test('informational answers are skipped', async () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
  const server = await serveTcp((socket) => {
    onRequest(socket, () => socket.write(`${hints}${hints}HTTP/1.1 201 Created\r\ncontent-length: 7\r\n\r\n{"a":1}`));
  });
  const { api } = connect(server.url);
  for (const request of [write, read]) expect(await api.send(request)).toMatchObject({ status: 201, value: { a: 1 } });
});
