import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { connect as connectTcp, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const KEY = file('../../../support/tls/test-only-key.pem');
const CERTIFICATE = file('../../../support/tls/test-only-certificate.pem');

let folder = '';
const seen: (string | undefined)[] = [];
const tunnels: (string | undefined)[] = [];
const sockets = new Set<Socket>();
/** The server that the proxy connects to instead of the requested one. */
let target: number | undefined;

const server = createServer((request, response) => {
  seen.push(request.headers.authorization);
  response.end('{"secure":true}');
});
const openTunnel = (request: IncomingMessage, socket: Duplex): void => {
  tunnels.push(request.url);
  const upstream = connectTcp(target ?? port(), '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    upstream.pipe(socket).pipe(upstream);
  });
  upstream.on('error', () => undefined);
  socket.on('error', () => undefined);
};
const proxy = createHttpServer().on('connect', openTunnel);
const port = (of: { address(): unknown } = server): number => (of.address() as AddressInfo).port;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'berth-tls-'));
  // Bundled like the program, so that the stubs that replace Node's modules are tested too.
  const root = file('../../../..');
  const { bundling } = (await import(path.join(root, 'scripts/bundling.mjs'))) as {
    bundling: (root: string) => BuildOptions;
  };
  const outfile = path.join(folder, 'probe.cjs');
  await build({ ...bundling(root), entryPoints: [file('tls-probe.ts')], outfile, format: 'cjs' });
  const [key, cert] = await Promise.all([readFile(KEY), readFile(CERTIFICATE)]);
  server.setSecureContext({ key, cert });
  server.on('connection', (socket: Socket) => sockets.add(socket));
  for (const one of [server, proxy]) await new Promise<void>((done) => one.listen(0, '127.0.0.1', done));
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  proxy.closeAllConnections();
  proxy.close();
  await rm(folder, { recursive: true });
});

/** Runs the probe in its own process. The process must end by itself. */
function probe(address: string, env: Record<string, string>): Promise<{ text: string; code: number }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [path.join(folder, 'probe.cjs'), address], { env }, (_, text) => {
      resolve({ text, code: child.exitCode ?? -1 });
    });
  });
}

it('a certificate that NODE_EXTRA_CA_CERTS names is trusted, and the process ends by itself', async () => {
  const outcome = await probe(`https://localhost:${String(port())}`, { NODE_EXTRA_CA_CERTS: CERTIFICATE });
  expect(outcome).toEqual({ text: '{"secure":true}', code: 0 });
  expect(seen.pop()).toBe('Bearer probe-key');
});

describe.each([
  ['directly', () => ({})],
  ['through a proxy', () => ({ HTTPS_PROXY: proxyUrl() })],
])('%s, a certificate that is trusted and not valid here is refused at one connection', (_way, proxied) => {
  it.each([
    ['for another host', 'test-only-other-host-certificate.pem', 'it is for another host name'],
    ['expired', 'test-only-expired-certificate.pem', 'it has expired'],
  ])('%s', async (_, name, words) => {
    const trusted = file(`../../../support/tls/${name}`);
    const [key, cert] = await Promise.all([readFile(KEY), readFile(trusted)]);
    let opened = 0;
    let requests = 0;
    const other = createServer({ key, cert }, (__, response) => {
      requests++;
      response.end('{}');
    });
    other.on('connection', () => opened++);
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const address = `https://localhost:${String(port(other))}`;
    target = port(other);
    const { text, code } = await probe(address, { NODE_EXTRA_CA_CERTS: trusted, ...proxied() });
    target = undefined;
    await new Promise((done) => other.close(done));
    expect(text).toContain(`the certificate of ${new URL(address).host} is not accepted: ${words}`);
    expect([code, opened, requests]).toEqual([1, 1, 0]);
  });
});

it('an exchange through a proxy is encrypted from end to end', async () => {
  const env = { NODE_EXTRA_CA_CERTS: CERTIFICATE, HTTPS_PROXY: proxyUrl() };
  expect(await probe(`https://localhost:${String(port())}`, env)).toEqual({
    text: '{"secure":true}',
    code: 0,
  });
  expect(tunnels.pop()).toBe(`localhost:${String(port())}`);
});

const proxyUrl = (): string => `http://127.0.0.1:${String(port(proxy))}`;
