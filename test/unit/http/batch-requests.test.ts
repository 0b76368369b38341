import { expect, test } from 'vitest';
import { connect, json, KEY, serve } from '../../support/servers/http-server.ts';

const RUN = { service: 'queue', method: 'POST', path: ['v2', 'ep1', 'run'] } as const;
const raw = (text: string): { raw: Uint8Array } => ({ raw: Buffer.from(text) });

test('requests that are prepared once carry their own bodies', async () => {
  const server = await serve((response) => {
    json(response, { id: 'x' });
  });
  const run = connect(`${server.url}/prefix`, { retries: 0 }).api.prepare(RUN);
  await Promise.all([1, 2, 3].map((n) => run.send(raw(`{"n":${String(n)}}`))));
  await run.send({ n: 4 });
  expect(server.seen.map(({ body }) => String(body)).sort()).toEqual(['{"n":1}', '{"n":2}', '{"n":3}', '{"n":4}']);
  expect(new Set(server.seen.map(({ method, url, headers }) => `${method} ${url} ${headers.authorization}`))).toEqual(
    new Set([`POST /prefix/v2/ep1/run Bearer ${KEY}`]),
  );
});
