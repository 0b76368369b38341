import { createServer } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { proxyFor, readProxies } from '../../../../src/http/wire/proxy.ts';
import { Ending } from '../../../../src/http/transport.ts';
import { createTransport } from '../../../../src/http/wire/client.ts';
import { hintOf } from '../../../support/text/hint-of.ts';
import { connect, failureOf, json, serveTcp, write } from '../../../support/servers/http-server.ts';
import { listen } from '../../../support/servers/scripted-server.ts';

const PASSWORD = 'proxy-pass-word';

interface TestProxy {
  /** The address, with a user name and password. */
  readonly url: string;
  /** `GET http://...` or `CONNECT host:port`, in order. */
  readonly seen: { readonly line: string; readonly authorization: string | undefined }[];
}

/** A forward proxy on loopback; CONNECT is answered with `status`. */
async function serveProxy(status = 200): Promise<TestProxy> {
  const seen: TestProxy['seen'] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    seen.push({ line: `${method} ${url}`, authorization: headers['proxy-authorization'] });
    if (status === 200) json(response, { through: 'proxy' });
    else response.writeHead(status).end();
  });
  server.on('connect', (request, socket, head) => {
    seen.push({ line: `CONNECT ${request.url ?? ''}`, authorization: request.headers['proxy-authorization'] });
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${String(status)} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const target = connectTcp(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    for (const end of [target, socket]) end.on('error', () => socket.destroy());
  });
  const port = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://someone:${PASSWORD}@127.0.0.1:${String(port)}`, seen };
}

const BASIC = `Basic ${Buffer.from(`someone:${PASSWORD}`).toString('base64')}`;

/** Sends a request without a key: with one, plain http to another host is refused before. */
async function getPlain(env: Readonly<Record<string, string>>): Promise<number> {
  const transport = createTransport({ env });
  onTestFinished(() => transport.close());
  const request = { method: 'GET', url: 'http://files.test/a', headers: {}, body: undefined, ending: new Ending() };
  return (await transport(request)).status;
}

describe('a proxy', () => {
  it.each(['HTTP_PROXY', 'http_proxy'])('%s is used for plain http, with its password', async (name) => {
    const proxy = await serveProxy();
    expect(await getPlain({ [name]: proxy.url })).toBe(200);
    expect(proxy.seen).toEqual([{ line: 'GET http://files.test/a', authorization: BASIC }]);
  });

  it.each(['127.0.0.1', '*', 'example.com, 127.0.0.1', '10.0.0.0/8,127.0.0.0/8', 'a.test,*'])(
    'is not used with NO_PROXY=%s',
    async (exceptions) => {
      const proxy = await serveProxy();
      const target = await serveTcp((socket) => socket.end('no TLS here'));
      const env = { HTTPS_PROXY: proxy.url, NO_PROXY: exceptions };
      const { api } = connect(`https://127.0.0.1:${String(target.port)}`, {}, { env });
      expect((await failureOf(api.send(write))).message).toContain('TLS');
      expect(proxy.seen).toHaveLength(0);
    },
  );

  it.each([407, 403, 502])(
    'that answers %i to a tunnel: 7, nothing was sent, and the password does not show',
    async (status) => {
      const proxy = await serveProxy(status);
      const { api } = connect('https://example.com', {}, { env: { https_proxy: proxy.url } });
      const failure = await failureOf(api.send(write));
      expect(failure).toMatchObject({ exit: 7 });
      expect(failure.message).toContain(`the proxy answered ${String(status)}`);
      if (status === 407) expect(failure.message).toContain('it wants a user name and password');
      expect(hintOf(failure)).toContain('Nothing was sent');
      expect(JSON.stringify(failure.facts())).not.toContain(PASSWORD);
      expect(proxy.seen).toHaveLength(status === 407 ? 1 : 4);
    },
  );

  it.each([
    `http://x:${PASSWORD}#y@proxy:80`,
    `http://x:1@${PASSWORD}@proxy:80`,
    'not an address',
    `http://x:${PASSWORD}@:80`,
  ])('%j is refused by name: 2', async (value) => {
    const { api } = connect('https://example.com', {}, { env: { HTTPS_PROXY: value } });
    const failure = await failureOf(api.send(write));
    expect(failure).toMatchObject({ exit: 2 });
    expect(failure.message).toContain('HTTPS_PROXY');
    expect(JSON.stringify(failure.facts())).not.toContain(PASSWORD);
  });
});

describe('the choice of the proxy', () => {
  const env = { HTTP_PROXY: 'http://proxy.test:1', HTTPS_PROXY: 'proxy.test:2' };
  it.each<[string, Record<string, string>, string | undefined]>([
    ['https://example.com', env, 'http://proxy.test:2'],
    ['http://example.com', env, 'http://proxy.test:1'],
    ['https://example.com', { HTTP_PROXY: 'http://proxy.test:1' }, undefined],
    ['https://example.com', { HTTPS_PROXY: 'http://upper:1', https_proxy: 'http://lower:1' }, 'http://lower:1'],
    ['https://example.com', { HTTPS_PROXY: 'http://upper:1', https_proxy: '' }, undefined],
    // Requests to this machine are not encrypted, so they must not go through another machine.
    ['http://127.0.0.1:8181', env, undefined],
    ['http://localhost:8181', { HTTP_PROXY: 'http://127.0.0.1:3128' }, undefined],
    ['https://127.0.0.1:8181', env, 'http://proxy.test:2'],
    ['https://10.1.2.3', { ...env, NO_PROXY: '10.0.0.0/8' }, undefined],
    ['https://[fd00::1]', { ...env, NO_PROXY: 'fd00::/8' }, undefined],
    ['https://[::1]:8443', { ...env, NO_PROXY: '[0:0::1]:8443' }, undefined],
    ['https://b.a.test', { ...env, NO_PROXY: 'x, *.A.test' }, undefined],
  ])('%s with %j: %s', (address, variables, proxy) => {
    expect(proxyFor(new URL(address), readProxies(variables))?.url.origin).toBe(proxy);
  });

  it.each(['10.0.0.0/33', '10.*', '10.0.0.0/x', 'http://a.test', '<local>'])('NO_PROXY=%s is refused: 2', (item) => {
    const variables = { ...env, NO_PROXY: item };
    expect(() => proxyFor(new URL('https://a.test'), readProxies(variables))).toThrow(/^NO_PROXY has /);
    expect(proxyFor(new URL('http://localhost'), readProxies(variables))).toBeUndefined();
  });
});
