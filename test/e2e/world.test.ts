import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { berth, cleanEnvironment, temporaryFolder } from './support.ts';

// Rows 20 and 23 of docs/faults.md, as far as they need processes of their own.

const KEY = 'key-of-this-test-0123456789';

test('processes that write the configuration at once lose nothing, and the file ends 0600', async () => {
  const folder = await temporaryFolder();
  const config = path.join(folder, 'config.json');
  await mkdir(folder, { recursive: true });
  await writeFile(config, JSON.stringify({ current: 'work', profiles: { work: { 'api-key': KEY } } }));
  await chmod(config, 0o644);
  const env = await cleanEnvironment({ BERTH_CONFIG_DIR: folder });
  const names = Array.from({ length: 8 }, (_, at) => `p${String(at)}`);
  const ended = await Promise.all(
    names.map((name) => berth(['--profile', name, 'config', 'set', 'timeout', '7s'], { env })),
  );
  for (const { code, stderr } of ended) expect(code, stderr).toBe(0);
  const { profiles } = JSON.parse(await readFile(config, 'utf8')) as { profiles: Record<string, unknown> };
  expect(profiles).toEqual({
    work: { 'api-key': KEY },
    ...Object.fromEntries(names.map((name) => [name, { timeout: '7s' }])),
  });
  expect((await stat(config)).mode & 0o777).toBe(0o600);
});

test('NODE_EXTRA_CA_CERTS names who else is trusted; without it nothing is sent', async () => {
  const tls = (name: string): string => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url));
  const seen: (string | undefined)[] = [];
  const server = createServer(
    { key: await readFile(tls('test-only-key.pem')), cert: await readFile(tls('test-only-certificate.pem')) },
    (request, response) => {
      seen.push(request.headers.authorization);
      response.end('{"id":"pod1"}');
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const plain = await cleanEnvironment({ BERTH_BASE_URL: url, BERTH_API_KEY: KEY, BERTH_RETRIES: '0' });
  const refused = await berth(['pods', 'get', 'pod1'], { env: plain });
  expect(refused).toMatchObject({ code: 7, stdout: '' });
  expect(refused.stderr).toMatch(/self-signed and not trusted.*NODE_EXTRA_CA_CERTS[^]*Nothing was sent/);
  expect(seen).toEqual([]);
  const trusting = { ...plain, NODE_EXTRA_CA_CERTS: tls('test-only-certificate.pem') };
  expect(await berth(['pods', 'get', 'pod1', '-o', 'id'], { env: trusting })).toEqual({
    code: 0,
    stdout: 'pod1\n',
    stderr: '',
  });
  expect(seen).toEqual([`Bearer ${KEY}`]);
});
