import type { OutgoingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { servedRaw } from '../support/local/raw-requests.ts';

// Row 39 of docs/faults.md: requests of web pages and foreign Hosts. Webhooks are in local-webhooks.test.ts.

const PATHS: readonly (readonly [string, string, string])[] = [
  ['POST', '/local/reset', ''],
  ['POST', '/local/clock', '{"advanceMs":3600000}'],
  ['POST', '/local/fault', '{"kind":"drop"}'],
  ['GET', '/local/status', ''],
  ['POST', '/v2/echo/run', '{"input":{}}'],
  ['POST', '/v2/echo/runsync', '{"input":{}}'],
  ['GET', '/v2/echo/health', ''],
  ['POST', '/v2/pods', '{}'],
  ['GET', '/v2/openapi.json', ''],
  ['POST', '/v1/networkvolumes', '{}'],
  ['GET', '/', ''],
  ['GET', '/nowhere', ''],
];

const FOREIGN: readonly (readonly [string, (port: number) => OutgoingHttpHeaders])[] = [
  ['an Origin of another site', () => ({ Origin: 'https://evil.example' })],
  ['an Origin of another port of this machine', () => ({ Origin: 'http://127.0.0.1:1' })],
  ['an opaque Origin', () => ({ Origin: 'null' })],
  ['an Origin over https', (port) => ({ Origin: `https://127.0.0.1:${String(port)}` })],
  ['Sec-Fetch-Site cross-site', () => ({ 'Sec-Fetch-Site': 'cross-site' })],
  ['Sec-Fetch-Site same-site', () => ({ 'Sec-Fetch-Site': 'same-site' })],
  ['Sec-Fetch-Mode no-cors', () => ({ 'Sec-Fetch-Mode': 'no-cors' })],
  ['Sec-Fetch-Dest image', () => ({ 'Sec-Fetch-Dest': 'image' })],
  ['a Host of a name (DNS rebinding)', (port) => ({ Host: `evil.example:${String(port)}` })],
  ['a Host that begins like this machine', () => ({ Host: 'localhost.evil.example' })],
  ['a Host that begins with an address of it', () => ({ Host: '127.0.0.1.evil.example' })],
  ['a Host with user information', () => ({ Host: 'localhost@evil.example' })],
  ['a Host of a private network', () => ({ Host: '192.168.0.7' })],
];

describe.each(FOREIGN)('a request with %s', (_, headersAt) => {
  it('is refused on every path, and nothing changes', async () => {
    const { ask, send, port } = await servedRaw();
    await send('POST', '/v2/echo/run', { input: {} });
    const before = await send('GET', '/local/status');
    for (const [method, path, body] of PATHS) {
      const answer = await ask(method, path, headersAt(port), body);
      // A Host that is not a host name is already an invalid request: 400.
      expect([path, answer.status]).toEqual([path, expect.toBeOneOf([400, 403])]);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
    expect((await send('GET', '/local/status')).text).toBe(before.text);
  });
});

it.each([
  ['localhost', { Host: 'localhost' }],
  ['localhost in capitals', { Host: 'LOCALHOST:8181' }],
  ['a forwarded port', { Host: '127.0.0.1:9999' }],
  ['IPv6 loopback', { Host: '[::1]:8181' }],
  [
    'a person who typed the address',
    { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
  ],
  ['its own page', { Host: 'localhost:8181', Origin: 'http://localhost:8181', 'Sec-Fetch-Site': 'same-origin' }],
  ['the fetch of Node', { 'Sec-Fetch-Mode': 'cors' }],
  ['a client that takes problems only', { Accept: 'application/problem+json' }],
])('a request is answered that comes from or to %s', async (_, headers) => {
  const { ask } = await servedRaw();
  expect((await ask('GET', '/v2/pods', headers)).status).toBe(200);
});

it('a preflight request gets no permission', async () => {
  const { ask } = await servedRaw();
  for (const [, path] of PATHS)
    for (const origin of [{}, { Origin: 'https://evil.example' }]) {
      const answer = await ask('OPTIONS', path, { 'Access-Control-Request-Method': 'POST', ...origin });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
});

it('a request line that names another host is refused', async () => {
  const { ask } = await servedRaw();
  expect((await ask('POST', 'http://evil.example/local/reset', { Host: 'localhost' })).status).toBe(403);
});
