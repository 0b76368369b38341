import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { connect as connectTcp, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const CERTIFICATE = file('../../support/tls/test-only-certificate.pem');

let folder = '';
let connections = 0;
const seen: (string | undefined)[] = [];
const tunnels: (string | undefined)[] = [];
const sockets = new Set<Socket>();

const server = createServer((request, response) => {
  seen.push(request.headers.authorization);
  response.end('{"secure":true}');
});
const proxy = createHttpServer().on('connect', (request, socket) => {
  tunnels.push(request.url);
  const target = connectTcp(port(), '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    target.pipe(socket).pipe(target);
  });
  target.on('error', () => undefined);
  socket.on('error', () => undefined);
});
const port = (of: { address(): unknown } = server): number => (of.address() as AddressInfo).port;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'berth-tls-'));
  // Bundled as the program is, so that what replaces builtins there is proven here.
  const root = file('../../..');
  const { bundling } = (await import(path.join(root, 'scripts/bundling.mjs'))) as {
    bundling: (root: string) => BuildOptions;
  };
  const outfile = path.join(folder, 'probe.cjs');
  await build({ ...bundling(root), entryPoints: [file('probe.ts')], outfile, format: 'cjs' });
  const [key, cert] = await Promise.all([readFile(file('../../support/tls/test-only-key.pem')), readFile(CERTIFICATE)]);
  server.setSecureContext({ key, cert });
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
  });
  for (const one of [server, proxy]) await new Promise<void>((done) => one.listen(0, '127.0.0.1', done));
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  proxy.closeAllConnections();
  proxy.close();
  await rm(folder, { recursive: true });
});

/** Runs the probe as a process of its own, which nobody tells to end. */
function probe(
  address: string,
  env: Record<string, string>,
  ...flags: string[]
): Promise<{ text: string; code: number }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [path.join(folder, 'probe.cjs'), address, ...flags],
      { env },
      (_, text) => {
        resolve({ text, code: child.exitCode ?? -1 });
      },
    );
  });
}

it.each([[], ['one-shot']])(
  'a certificate that NODE_EXTRA_CA_CERTS names is trusted, and the process ends by itself %s',
  async (...flags) => {
    const outcome = await probe(`https://localhost:${String(port())}`, { NODE_EXTRA_CA_CERTS: CERTIFICATE }, ...flags);
    expect(outcome).toEqual({ text: '{"secure":true}', code: 0 });
    expect(seen.pop()).toBe('Bearer probe-key');
  },
);

it('a certificate that nobody vouches for is not: nothing is sent, and it is tried again', async () => {
  const [requests, before] = [seen.length, connections];
  const { text, code } = await probe(`https://localhost:${String(port())}`, {});
  expect(text).toContain('the certificate is not trusted');
  expect(text).toContain('NODE_EXTRA_CA_CERTS');
  expect(code).toBe(1);
  expect(seen).toHaveLength(requests);
  expect(connections - before).toBe(2);
});

it('a certificate for another name is refused', async () => {
  const { text } = await probe(`https://[::1]:${String(port())}`, {
    NODE_EXTRA_CA_CERTS: CERTIFICATE,
    HTTPS_PROXY: proxyUrl(),
  });
  expect(text).toContain('the certificate is for another host name');
});

it('through a proxy the exchange is the same, end to end', async () => {
  const env = { NODE_EXTRA_CA_CERTS: CERTIFICATE, HTTPS_PROXY: proxyUrl() };
  expect(await probe(`https://localhost:${String(port())}`, env, 'one-shot')).toEqual({
    text: '{"secure":true}',
    code: 0,
  });
  expect(tunnels.pop()).toBe(`localhost:${String(port())}`);
});

it('a server that hangs up after the request is told apart from one that is not there', async () => {
  const rude = createTcpServer((socket) =>
    socket.on('data', () => socket.resetAndDestroy()).on('error', () => undefined),
  );
  await new Promise<void>((done) => rude.listen(0, '127.0.0.1', done));
  const address = `http://127.0.0.1:${String(port(rude))}`;
  expect((await probe(address, {})).text).toContain('no readable answer came from 127.0.0.1');
  await new Promise((done) => rude.close(done));
  expect((await probe(address, {})).text).toContain('connection refused');
});

const proxyUrl = (): string => `http://127.0.0.1:${String(port(proxy))}`;
