import { describe, expect, it } from 'vitest';
import { hintOf } from '../../support/text/hint-of.ts';
import { connect, failureOf, freePort, json, KEY, read, serve, write } from '../../support/servers/http-server.ts';

const problem = (status: number, title: string, detail: string, errors?: string[]): object => ({
  title,
  status,
  detail,
  errors,
});

describe('a status and its exit code', () => {
  it.each([
    [400, 5, 'refused'],
    [401, 3, 'unauthorized'],
    [402, 5, 'refused'],
    [403, 3, 'forbidden'],
    [404, 4, 'not-found'],
    [409, 5, 'refused'],
    [410, 4, 'gone'],
    [413, 5, 'refused'],
    [422, 5, 'refused'],
  ])('%i ends %i for reads and writes, and is sent once', async (status, exit, code) => {
    const server = await serve((response) => {
      json(response, problem(status, 'Title', 'the detail'), status, { 'content-type': 'application/problem+json' });
    });
    const { api } = connect(server.url);
    for (const request of [read, write]) {
      const failure = await failureOf(api.send(request));
      expect(failure).toMatchObject({ exit, code, status, title: 'Title', detail: 'the detail' });
      expect(failure.message).toBe(`the service answered ${String(status)} Title: the detail`);
    }
    expect(server.seen).toHaveLength(2);
  });

  it.each([
    ['{"error":"no such endpoint"}', 'no such endpoint'],
    ['"no such endpoint"', 'no such endpoint'],
    ['no such\n  endpoint\n', 'no such endpoint'],
    ['\u001b[31mred\u0007', '\\x1b[31mred\\x07'],
    ['x'.repeat(5000), `${'x'.repeat(199)}…`],
    ['<html><body>secret page</body></html>', undefined],
    ['', undefined],
    ['null', 'null'],
    ['{"title":1,"detail":[],"errors":"x"}', undefined],
  ])('reads %j', async (text, detail) => {
    const server = await serve((response) => {
      response.writeHead(404).end(text);
    });
    const failure = await failureOf(connect(server.url).api.send(read));
    expect(failure.exit).toBe(4);
    expect(failure.detail).toBe(detail);
    expect(failure.message).toContain('404');
  });

  it('redacts a key that the service repeats', async () => {
    const server = await serve((response) => {
      json(response, problem(401, 'Unauthorized', `token ${KEY} is not valid`), 401);
    });
    expect((await failureOf(connect(server.url).api.send(read))).detail).toBe('token *** is not valid');
  });
});

describe('refused before anything is sent', () => {
  it('without a key: 3, and the message names `auth login` and `--local`', async () => {
    const server = await serve((response) => {
      json(response, {});
    });
    const failure = await failureOf(connect(server.url, { key: () => Promise.resolve(undefined) }).api.send(read));
    expect(failure).toMatchObject({ exit: 3, code: 'no-key' });
    expect(hintOf(failure)).toContain('berth auth login');
    expect(hintOf(failure)).toContain('--local');
    expect(server.seen).toHaveLength(0);
  });

  it.each([
    ['authorization', 'Bearer x'],
    ['Host', 'evil.test'],
    ['Content-Length', '3'],
    ['transfer-encoding', 'chunked'],
    ['x-y', 'a\r\nb: c'],
    ['x y', 'z'],
    ['', 'z'],
  ])('the header %j: 2', async (name, value) => {
    const { api } = connect('http://127.0.0.1:8181');
    expect(await failureOf(api.send({ ...read, headers: { [name]: value } }))).toMatchObject({ exit: 2 });
  });
});

describe('a dry run', () => {
  it('shows the whole request with the key redacted, and sends nothing', async () => {
    const address = `http://127.0.0.1:${String(await freePort())}/prefix/`;
    const { api } = connect(address, { key: () => Promise.reject(new Error('not asked for')) });
    const preview = await api.preview({ ...write, query: { wait: 5 }, headers: { 'X-Extra': 'y' } });
    expect(preview).toEqual({
      method: 'POST',
      url: `${address}v2/pods?wait=5`,
      headers: {
        accept: 'application/json, application/problem+json',
        'accept-encoding': 'gzip, br',
        authorization: 'Bearer ***',
        'content-type': 'application/json',
        'user-agent': 'berth/test',
        'x-extra': 'y',
      },
      body: { name: 'n' },
    });
  });

  it('shows a raw body as JSON, or else as text', async () => {
    const { api } = connect('http://127.0.0.1:8181');
    const previewOf = async (text: string): Promise<unknown> =>
      (await api.preview({ ...write, body: { raw: Buffer.from(text) } })).body;
    expect(await previewOf('{"input": {"a": 1}}')).toEqual({ input: { a: 1 } });
    expect(await previewOf('not json')).toBe('not json');
  });
});

describe('--verbose', () => {
  it('prints each request and answer, and never the key', async () => {
    const server = await serve((response, _, count) => {
      json(response, { id: 'p1' }, count === 1 ? 503 : 200, { 'x-request-id': 'r-1', 'set-cookie': KEY });
    });
    const { api, trace } = connect(server.url);
    await api.send({ ...read, headers: { cookie: KEY, 'x-api-key': KEY } });
    expect(trace).toHaveLength(5);
    expect(trace[0]).toContain(`> GET ${server.url}/v2/pods/p1 `);
    expect(trace[0]).toContain('authorization: Bearer ***');
    expect(trace[1]).toMatch(/^< 503 in \d+m?s, 11 B .*x-request-id: r-1/);
    expect(trace[2]).toContain('waiting 250ms: the service answered 503');
    expect(trace[3]).toContain('(try 2)');
    expect(trace[4]).toMatch(/^< 200 in /);
    expect(trace.join('\n')).not.toContain(KEY);
  });
});
