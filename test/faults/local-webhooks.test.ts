import { networkInterfaces } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { realClock } from '../../src/host/runtime/runtime.ts';
import type { LocalServiceOptions } from '../../src/local/service.ts';
import { serveLocal } from '../../src/local/http/server.ts';
import { kindOfAddress } from '../../src/local/workers/webhooks.ts';
import { localFixture } from '../support/local/service-fixture.ts';
import { serve, text, type Behaviour } from '../support/servers/scripted-server.ts';

// Row 39 of docs/faults.md: webhooks to the service itself, to this machine and to private networks.

/** A webhook receiver on this machine. */
async function receiver(answer: Behaviour = text('')) {
  const { port, seen } = await serve([answer]);
  return { port, seen: () => seen.map(({ method, url, body }) => `${method} ${url} ${body.toString()}`) };
}

/** A local service over HTTP. `told` returns the first reason why a webhook was not sent. */
async function served(options: Partial<LocalServiceOptions> = {}) {
  let tell: (reason: string) => void = () => undefined;
  const told = new Promise<string>((resolve) => (tell = resolve));
  const fixture = localFixture({
    // A test clock would jump far ahead while a real connection is opened.
    clock: realClock,
    ...options,
    onWebhookRefused: (_job, reason) => {
      tell(reason);
    },
  });
  const server = await serveLocal(fixture.service, { port: 0, host: '127.0.0.1' });
  fixture.service.start(server.port);
  onTestFinished(async () => {
    await server.stop();
    await fixture.service.stop();
  });
  const finish = async (webhook: string): Promise<void> => {
    expect((await fixture.send('POST', '/v2/echo/run', { input: { n: 1 }, webhook })).status).toBe(200);
    // Skips the cold start of the worker.
    await fixture.send('POST', '/local/clock', { advanceMs: 5000 });
  };
  return { ...fixture, finish, told, port: server.port };
}

const addressOfNetwork = Object.values(networkInterfaces())
  .flatMap((entries) => entries ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

describe('a webhook to the service itself', () => {
  const hosts = [
    '127.0.0.1',
    'localhost',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '2130706433',
    '0x7f.1',
    '127.0.0.2',
    '[::1]',
  ];
  it.each(hosts)('is never sent, not even with --allow-private-webhooks: %s', async (host) => {
    const { finish, told, port, send } = await served({ allowPrivateWebhooks: true });
    await finish(`http://${host}:${String(port)}/local/reset`);
    expect(await told).toContain('the local service itself');
    expect((await send('GET', '/local/status')).body).toMatchObject({ jobs: { COMPLETED: 1 } });
  });
});

describe('a webhook to this machine', () => {
  const names = ['127.0.0.1', 'localhost', '[::ffff:7f00:1]', 'rebound.example'];
  const resolve = (): Promise<{ address: string; family: number }[]> =>
    Promise.resolve([{ address: '127.0.0.1', family: 4 }]);

  it.each(names)('is not sent: %s', async (host) => {
    const { seen, port } = await receiver();
    const { finish, told } = await served({ resolve });
    await finish(`http://${host}:${String(port)}/hook`);
    expect(await told).toContain('--allow-private-webhooks');
    expect(seen()).toEqual([]);
  });

  it.each(names)('is sent if that is allowed: %s', async (host) => {
    const { seen, port } = await receiver();
    const { finish } = await served({ resolve, allowPrivateWebhooks: true });
    await finish(`http://${host}:${String(port)}/hook`);
    await expect.poll(seen).toEqual([expect.stringMatching(/^POST \/hook .*"status":"COMPLETED"/)]);
  });

  it('is not sent if one of several addresses is private', async () => {
    const { finish, told } = await served({
      resolve: () =>
        Promise.resolve([
          { address: '198.41.0.4', family: 4 },
          { address: '10.0.0.1', family: 4 },
        ]),
    });
    await finish('http://two.example/');
    expect(await told).toContain('10.0.0.1');
  });

  it('resolves its host once for each try and connects to the address that was checked', async () => {
    let lookups = 0;
    const { seen, port } = await receiver();
    const { finish } = await served({
      allowPrivateWebhooks: true,
      resolve: () => {
        lookups += 1;
        return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
      },
    });
    await finish(`http://once.example:${String(port)}/`);
    await expect.poll(() => seen().length).toBe(1);
    expect(lookups).toBe(1);
  });

  it('does not follow a redirect', async () => {
    const inner = await receiver();
    const { seen, port } = await receiver(text('', 307, { Location: `http://127.0.0.1:${String(inner.port)}/` }));
    const { finish } = await served({ allowPrivateWebhooks: true });
    await finish(`http://127.0.0.1:${String(port)}/`);
    await expect.poll(() => seen().length).toBeGreaterThan(0);
    expect(inner.seen()).toEqual([]);
  });
});

it.each([
  ['127.0.0.1', 'own'],
  ['0.0.0.0', 'own'],
  ['::1', 'own'],
  ['::ffff:127.0.0.1', 'own'],
  ['::ffff:7f00:1', 'own'],
  ['::127.0.0.1', 'own'],
  ['64:ff9b::127.0.0.1', 'own'],
  ['2002:7f00:1::', 'private'],
  [addressOfNetwork ?? '127.0.0.1', 'own'],
  ['10.1.2.3', 'private'],
  ['172.16.0.1', 'private'],
  ['169.254.169.254', 'private'],
  ['100.64.0.1', 'private'],
  ['255.255.255.255', 'private'],
  ['::ffff:10.0.0.1', 'private'],
  ['64:ff9b::a9fe:a9fe', 'private'],
  ['fc00::1', 'private'],
  ['fe80::1%eth0', 'private'],
  ['ff02::1', 'private'],
  ['2001:db8::1', 'private'],
  ['198.41.0.4', 'public'],
  ['172.32.0.1', 'public'],
  ['::ffff:8.8.8.8', 'public'],
  ['64:ff9b::808:808', 'public'],
  ['2606:4700::1111', 'public'],
])('%s is %s', (address, kind) => {
  expect(kindOfAddress(address)).toBe(kind);
});
