import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { LOCAL_KEY } from '../../../../src/local/http/admission.ts';
import { type ServedService, serveLocal } from '../../../../src/local/http/server.ts';
import { createState } from '../../../../src/local/state/state.ts';
import { memoryStore } from '../../../../src/local/state/store.ts';
import type { Clock } from '../../../../src/core/context.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { localFixture } from '../../../support/local/service-fixture.ts';
import { fileStore } from '../../../support/local/file-store.ts';

const headers = { Authorization: `Bearer ${LOCAL_KEY}` };
let served: ServedService | undefined;
afterEach(async () => {
  await served?.stop();
  served = undefined;
});

const serve = async (fixture = localFixture()) => {
  served = await serveLocal(fixture.service, { port: 0, host: '127.0.0.1' });
  return { ...fixture, url: served.url };
};

describe('the local service over HTTP', () => {
  it('keeps an encoded slash within its path segment', async () => {
    const { url } = await serve();
    const answer = await fetch(`${url}/v2/pods/${encodeURIComponent('a/b?c#d é%2f')}`, { headers });
    expect(((await answer.json()) as { detail: string }).detail).toBe('pod not found');
  });

  it('answers with an error when its state cannot be saved', async () => {
    const { url } = await serve(localFixture({ store: fileStore('/dev/null/state.json') }));
    const answer = await fetch(`${url}/v2/pods`, { headers });
    expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining('/dev/null: a file is there')]);
  });

  it.each(['POST runsync', 'GET status-sync/JOB'])('ends the waiting of a caller who hangs up: %s', async (request) => {
    const state = createState(0);
    let waiting = 0;
    const real = createTestClock(0);
    // A clock that stands still: nothing but the hang-up ends a wait.
    const clock: Clock = {
      ...real,
      sleep: (_milliseconds, signal) =>
        new Promise((_resolve, reject) => {
          waiting += 1;
          signal?.addEventListener('abort', () => {
            waiting -= 1;
            reject(signal.reason as Error);
          });
        }),
    };
    const { url, send } = await serve(localFixture({ clock, store: memoryStore(state) }));
    const job = (await send('POST', '/v2/echo/run', { input: {} })).body['id'] as string;
    const [method = '', operation = ''] = request.replace('JOB', job).split(' ');
    const caller = new AbortController();
    const body = method === 'POST' ? { body: '{"input":{}}' } : {};
    const answer = fetch(`${url}/v2/echo/${operation}`, { method, headers, ...body, signal: caller.signal });
    await expect.poll(() => waiting).toBe(1);
    caller.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => waiting).toBe(0);
  });

  it('fails with usage (2) when the port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    try {
      await expect(serveLocal(localFixture().service, { port, host: '127.0.0.1' })).rejects.toMatchObject({
        exit: 2,
        message: `port ${String(port)} is in use`,
        hint: expect.stringContaining('--port 0') as string,
      });
    } finally {
      taken.close();
    }
  });
});
