import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { connect, read, serve } from '../../../support/servers/http-server.ts';

it.each([
  ['of known length', true],
  ['in chunks', false],
])('returns an answer of a megabyte, %s, and compressed', async (_, isLengthKnown) => {
  const text = JSON.stringify({ rows: Array.from({ length: 60_000 }, (__, row) => `row ${String(row)} é`) });
  const server = await serve((response, request) => {
    const body = request.url.includes('compressed') ? gzipSync(text) : Buffer.from(text);
    const coding = request.url.includes('compressed') ? { 'content-encoding': 'gzip' } : {};
    const length = isLengthKnown ? { 'content-length': body.byteLength } : {};
    response.writeHead(200, { 'content-type': 'application/json', ...coding, ...length });
    response.write(body.subarray(0, 100_000));
    response.end(body.subarray(100_000));
  });
  const { api } = connect(server.url);
  expect((await api.send(read)).text === text).toBe(true);
  expect((await api.send({ ...read, query: { compressed: true } })).text === text).toBe(true);
});
