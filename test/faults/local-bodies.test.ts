import { expect, it } from 'vitest';
import { servedRaw } from '../support/local/raw-requests.ts';

// A refused or unexpected body must not break the connection for the next request.

const LARGE = Buffer.alloc(25_000_000, 0x20);

it.each([
  ['beyond every limit', '/v2/pods', 413, {}],
  ['beyond the limit of run', '/v2/echo/run', 413, {}],
  ['of a request without a key', '/v2/templates', 401, { Authorization: '' }],
  ['to a path that is not there', '/v2/none', 413, {}],
  ['to nowhere', '/none', 404, {}],
  ['to a control operation without a key', '/local/reset', 401, { Authorization: '' }],
  ['from a web page', '/v2/echo/run', 403, { Origin: 'https://evil.example' }],
])('after a body %s the connection goes on', async (_, path, status, headers) => {
  const { ask } = await servedRaw();
  expect(await ask('POST', path, headers, LARGE)).toMatchObject({ status, headers: { connection: 'keep-alive' } });
  expect(await ask('GET', '/v2/pods')).toMatchObject({ status: 200, reused: true });
});

it('the connection is kept after an injected fault', async () => {
  const { ask, send } = await servedRaw();
  await send('POST', '/local/fault', { kind: 'server-error', match: 'POST' });
  expect(await ask('POST', '/v2/templates', {}, LARGE)).toMatchObject({ status: 503 });
  expect(await ask('GET', '/v2/pods')).toMatchObject({ status: 200, reused: true });
});
