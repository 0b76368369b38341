import { createHmac } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { serve } from '../../../support/servers/http-server.ts';
import { listening } from '../../../support/webhooks/listening.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

interface Post {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly path?: string;
}

/** Posts a body with exactly these headers, and returns the status. */
const post = (url: string, body: string | Uint8Array, { method = 'POST', headers = {}, path = '/' }: Post = {}) =>
  new Promise<number>((resolve, reject) => {
    const sent = request(new URL(url), { method, headers, path, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.once('error', reject).end(body);
  });

const job = (id: string) => JSON.stringify({ id, status: 'COMPLETED', output: { n: 1 } });

const rowsOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
interface Row {
  readonly id: string;
  readonly job: string | null;
  readonly file: string;
  readonly delivered: boolean | null;
  readonly answered: number;
  readonly target: string;
  readonly headers: readonly { name: string; value: string }[];
  readonly deliveries: readonly { to?: string; status?: number; error?: string }[];
}

it('what is posted is shown, kept byte for byte and forwarded with the same bytes and headers', async () => {
  const receiver = await serve((response) => response.writeHead(200).end());
  const { world, url, stop } = await listening(['--forward-to', `${receiver.url}/hook?x=1`]);
  const body = Buffer.from([0, 255, 254, ...Buffer.from('{"id" : "job-1",\r\n"status":"COMPLETED"}'), 0]);
  const signature = createHmac('sha256', 'secret').update(body).digest('hex');
  const headers = { 'X-Signature': signature, 'X-Two': ['a', 'b'], 'Content-Type': 'application/json; odd="é"' };
  expect(await post(url, body, { headers, path: '/any/where?q=%2F' })).toBe(200);
  const { code, out } = await stop();
  expect(code).toBe(130);
  const [row] = rowsOf(out);
  expect(row).toMatchObject({ target: '/any/where?q=%2F', delivered: true, answered: 200 });
  expect(row?.headers).toContainEqual({ name: 'X-Signature', value: signature });
  expect(readFileSync(row?.file ?? '')).toEqual(body);
  const [seen] = receiver.seen;
  expect(seen?.url).toBe('/hook?x=1');
  expect(seen?.body).toEqual(body);
  expect(
    createHmac('sha256', 'secret')
      .update(seen?.body ?? '')
      .digest('hex'),
  ).toBe(seen?.headers['x-signature']);
  expect(seen?.headers).toMatchObject({ 'x-two': 'a, b', 'content-type': 'application/json; odd="é"' });
  expect(seen?.headers.host).toBe(new URL(receiver.url).host);
  for (const name of readdirSync(join(row?.file ?? '', '..')))
    expect(statSync(join(row?.file ?? '', '..', name)).mode & 0o777).toBe(0o600);
  expect(world.err()).not.toContain('secret');
});

it('the sender gets the status of the receiver, and 502 where there is none', async () => {
  let status = 503;
  const receiver = await serve((response) => response.writeHead(status).end());
  const { url, stop } = await listening(['--forward-to', receiver.url]);
  expect(await post(url, job('a'))).toBe(503);
  status = 302;
  expect(await post(url, job('a'))).toBe(302);
  status = 200;
  expect(await post(url, job('a'))).toBe(200);
  receiver.stop();
  expect(await post(url, job('b'))).toBe(502);
  const rows = rowsOf((await stop()).out);
  expect(rows.map(({ delivered }) => delivered)).toEqual([false, false, true, false]);
  expect(rows[3]?.deliveries[0]?.error).toMatch(/refused|connect/i);
});

it('--fail-first refuses the first posts about each job, and --duplicate forwards each twice', async () => {
  const receiver = await serve((response) => response.writeHead(200).end());
  const { url, stop } = await listening(['--forward-to', receiver.url, '--fail-first', '2', '--duplicate']);
  const answers = [];
  for (const id of ['a', 'b', 'a', 'a', 'b', 'b']) answers.push(await post(url, job(id)));
  expect(answers).toEqual([500, 500, 500, 200, 500, 200]);
  expect(receiver.seen.map(({ body }) => (JSON.parse(body.toString()) as Row).id)).toEqual(['a', 'a', 'b', 'b']);
  expect(rowsOf((await stop()).out)).toHaveLength(6);
});

it.each([
  ['a post with Origin', { headers: { Origin: 'http://evil.example' } }, 403],
  ['a post of a page without an origin', { headers: { Origin: 'null' } }, 403],
  ['a post with Sec-Fetch-Site', { headers: { 'Sec-Fetch-Site': 'cross-site' } }, 403],
  ['a page that is loaded', { method: 'GET', headers: { 'Sec-Fetch-Mode': 'navigate' } }, 403],
  ['a GET', { method: 'GET' }, 405],
  ['a preflight', { method: 'OPTIONS', headers: { Origin: 'http://evil.example' } }, 403],
])('%s is refused, said and not kept', async (_, options, status) => {
  const { url, stop } = await listening();
  expect(await post(url, '', options)).toBe(status);
  const { out, err } = await stop();
  expect(out).toBe('');
  expect(err).toMatch(/Refused: .* is refused/);
});

it('a body over the limit is refused with 413, also one whose length is not said', async () => {
  const { url, stop } = await listening();
  const body = Buffer.alloc(25_000_001, 32);
  expect(await post(url, body)).toBe(413);
  expect(await post(url, body, { headers: { 'Transfer-Encoding': 'chunked' } })).toBe(413);
  expect(await post(url, body.subarray(1))).toBe(200);
  expect(rowsOf((await stop()).out)).toHaveLength(1);
});

it('hostile headers and bodies are shown as text, on a terminal too', async () => {
  const { world, url, stop } = await listening([], { format: 'wide', tty: { stdout: true, stderr: true } });
  const evil = '\u001b]0;owned\u0007\u202e\n';
  expect(await post(url, JSON.stringify({ id: evil, status: evil }), { headers: { 'X-Evil': 'a\u009bb' } })).toBe(200);
  expect(await post(url, JSON.stringify(JSON.parse('{"__proto__":{"id":"x"},"id":["a"]}')))).toBe(200);
  expect(await post(url, '['.repeat(100_000))).toBe(200);
  const { code } = await stop();
  expect(code).toBe(130);
  // eslint-disable-next-line no-control-regex -- what must not come through
  expect(world.out()).not.toMatch(/\u001b\]|\u0007|\u202e|\u009b/);
});

it('a port in use ends with 2 and says so', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { code, err } = await berthIn(createTestWorld(), ['webhooks', 'listen', '--port', String(port)]);
  expect(code).toBe(2);
  expect(err).toContain(`port ${String(port)} is in use`);
});

it('two listeners on one data directory keep all that either received', async () => {
  const home = createTestWorld();
  const env = { BERTH_DATA_DIR: join(home.directory, 'data') };
  const listeners = await Promise.all([listening([], { env }), listening([], { env })]);
  await Promise.all(
    listeners.flatMap(({ url }, listener) =>
      Array.from({ length: 30 }, (_, at) => post(url, job(`job-${String(listener)}-${String(at)}`))),
    ),
  );
  for (const { stop } of listeners) expect((await stop()).code).toBe(130);
  const { out } = await berthIn(createTestWorld({ env }), ['webhooks', 'list', '--json']);
  const jobs = (JSON.parse(out) as Row[]).map((row) => row.job);
  expect(new Set(jobs).size).toBe(60);
});

it('the oldest are removed beyond a thousand', async () => {
  const { world, url, stop } = await listening();
  const folder = join(world.directory, '.local/share/berth/webhooks');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let at = 0; at < 1010; at++) {
    const head = { at, bytes: 0, source: 'received', target: '/', headers: [] };
    writeFileSync(join(folder, `00000${String(1000 + at)}-aaaa.json`), `${JSON.stringify(head)}\n`);
  }
  await post(url, job('new'));
  await stop();
  const { out } = await berthIn(world, ['webhooks', 'list', '-o', 'id']);
  const ids = out.trimEnd().split('\n');
  expect([ids.length, ids.at(-1)]).toEqual([1000, '000001011-aaaa']);
});
