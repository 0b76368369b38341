import { Agent, request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { LOCAL_KEY } from '../../src/local/http/admission.ts';
import { serveLocal } from '../../src/local/http/server.ts';
import { localFixture } from '../support/local/service-fixture.ts';

// A refused or unexpected body must not break the connection for the next request.

const LARGE = Buffer.alloc(25_000_000, 0x20);

/** Sends requests one after the other on one connection. `reused` tells whether the connection was kept. */
async function connection() {
  const { service, send } = localFixture();
  const server = await serveLocal(service, { port: 0, host: '127.0.0.1' });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(async () => {
    agent.destroy();
    await server.stop();
  });
  const ask = (method: string, path: string, body?: Uint8Array, headers = {}) =>
    new Promise<{ status: number | undefined; reused: boolean; connection: string | undefined }>((resolve, reject) => {
      const all = { Authorization: `Bearer ${LOCAL_KEY}`, ...headers };
      const sent = request({ host: '127.0.0.1', port: server.port, method, path, headers: all, agent });
      sent.once('error', reject);
      sent.once('response', (answer) => {
        answer.resume().once('end', () => {
          resolve({
            status: answer.statusCode,
            reused: sent.reusedSocket,
            connection: answer.headers.connection,
          });
        });
      });
      sent.end(body);
    });
  return { ask, send };
}

it.each([
  ['beyond every limit', '/v2/pods', 413, {}],
  ['beyond the limit of run', '/v2/echo/run', 413, {}],
  ['of a request without a key', '/v2/templates', 401, { Authorization: '' }],
  ['to a path that is not there', '/v2/none', 413, {}],
  ['to nowhere', '/none', 404, {}],
  ['to a control operation without a key', '/local/reset', 401, { Authorization: '' }],
  ['from a web page', '/v2/echo/run', 403, { Origin: 'https://evil.example' }],
])('after a body %s the connection goes on', async (_, path, status, headers) => {
  const { ask } = await connection();
  expect(await ask('POST', path, LARGE, headers)).toMatchObject({ status, connection: 'keep-alive' });
  expect(await ask('GET', '/v2/pods')).toMatchObject({ status: 200, reused: true });
});

it('the connection is kept after an injected fault', async () => {
  const { ask, send } = await connection();
  await send('POST', '/local/fault', { kind: 'server-error', match: 'POST' });
  expect(await ask('POST', '/v2/templates', LARGE)).toMatchObject({ status: 503 });
  expect(await ask('GET', '/v2/pods')).toMatchObject({ status: 200, reused: true });
});
