import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { berth, cleanEnvironment } from './support.ts';

const file = (name: string): string => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url));

test('doctor reports an expired certificate as a row, once, and goes on', async () => {
  const certificate = file('test-only-expired-certificate.pem');
  let connections = 0;
  const server = createServer({ key: readFileSync(file('test-only-key.pem')), cert: readFileSync(certificate) });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const url = `https://localhost:${String((server.address() as AddressInfo).port)}`;
  const env = await cleanEnvironment({
    BERTH_BASE_URL: url,
    BERTH_API_KEY: 'a-key-of-nobody',
    NODE_EXTRA_CA_CERTS: certificate,
  });
  const { code, stdout, stderr } = await berth(['doctor', '--json'], { env });
  expect([code, stderr, connections]).toEqual([7, '', 1]);
  const rows = JSON.parse(stdout) as readonly {
    readonly check: string;
    readonly finding: string;
    readonly hint: string;
  }[];
  expect(rows.map(({ check }) => check)).toEqual(['settings', 'proxy', 'key', 'base-url', 'queue-url', 'rest-url']);
  expect(rows.find(({ check }) => check === 'base-url')).toMatchObject({
    result: 'ERROR',
    finding: expect.stringMatching(/the certificate of localhost:\d+ is not accepted: it has expired/) as string,
    hint: expect.stringMatching(/^Nothing was sent\. If this machine's clock is right, tell/) as string,
  });
});
