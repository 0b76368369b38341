import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { berth, cleanEnvironment } from './support.ts';

// Row 23 of docs/faults.md: Node reads the variable when it starts.

const KEY = 'key-of-this-test-0123456789';

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
