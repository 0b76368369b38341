import { describe, expect, it } from 'vitest';
import { LOCAL_KEY } from '../../src/local/http/auth.ts';
import { createTable } from '../../src/local/table.ts';
import { berth, berthIn } from '../support/worlds/run-berth.ts';
import { localFixture } from '../support/local/service-fixture.ts';
import { json, pointedAt, serve } from '../support/servers/scripted-server.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';

/** The name that sets a prototype, one that every plain object inherits, and one that is called to print it. */
const WORDS = ['__proto__', 'constructor', 'toString'];

describe.each(WORDS)('%s is a name like any other', (word) => {
  const withIds = createTable({ queueLimits: true, streamShape: 'array' }).filter(({ path }) => path.includes('{'));

  it('as an id of any path', async () => {
    const { send } = localFixture({ queueLimits: true });
    for (const { method, path } of withIds) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : { input: {} };
      for (const target of targets(path, word)) {
        const { status, text } = await send(method, target, body);
        // 422 if the body is validated first.
        expect([method, target, status, text]).toEqual([
          ...[method, target],
          ...[expect.toSatisfy((it) => it === 404 || it === 422), text],
        ]);
      }
    }
  });

  it('as a member of a body', async () => {
    const { send } = localFixture();
    const volume = `{"name":"v","size":10,"dataCenter":"EU-WEST-1","${word}":{"x":1}}`;
    expect((await send('POST', '/v2/network-volumes', volume)).status).toBe(422);
    const job = await send('POST', '/v2/echo/run', `{"input":{"${word}":1},"${word}":2,"policy":{"${word}":3}}`);
    expect(job.status).toBe(200);
  });

  it('as a variable of an environment', async () => {
    const { send } = localFixture();
    const pod = `{"name":"p","image":"i","disk":10,"gpu":{"id":"GPU-24G","count":1},"env":{"${word}":"mine"}}`;
    const made = await send('POST', '/v2/pods', pod);
    expect([made.status, made.text]).toEqual([201, expect.stringContaining(`"${word}":"mine"`)]);
    const patched = await send('PATCH', `/v2/pods/${String(made.body['id'])}`, `{"env":{"${word}":"other"}}`);
    expect([patched.status, patched.text]).toEqual([200, expect.stringContaining(`"${word}":"other"`)]);
  });

  it('as a value of a query', async () => {
    const { send } = localFixture();
    for (const query of ['catalog/gpus?include=', 'catalog/datacenters?regions=', 'billing?bucketSize='])
      expect((await send('GET', `/v2/${query}${word}`)).status).toBe(422);
    expect((await send('GET', `/v2/billing/pods?podId=${word}`)).status).toBe(200);
  });

  it('as a name of a record', async () => {
    const { send } = localFixture();
    const made = await send('POST', '/v2/templates', { name: word, image: 'i' });
    expect([made.status, made.text]).toEqual([201, expect.stringContaining(`"name":"${word}"`)]);
  });

  it('as a key, and as an id of a fault', async () => {
    const { send } = localFixture();
    expect((await send('GET', '/v2/pods', undefined, word)).status).toBe(401);
    expect((await send('DELETE', `/local/fault/${word}`)).status).toBe(404);
  });

  it('as the endpoint of a handler module', async () => {
    const world = createTestWorld();
    const { mkdirSync, writeFileSync } = await import('node:fs');
    mkdirSync(world.directory, { recursive: true });
    writeFileSync(`${world.directory}/handler.mjs`, 'export default (input) => ({ got: input.n });');
    const server = await served(world.directory, word);
    try {
      const answer = await fetch(`${server.url}/v2/${word}/runsync`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${LOCAL_KEY}` },
        body: '{"input":{"n":7}}',
      });
      expect(await answer.json()).toMatchObject({ status: 'COMPLETED', output: { got: 7 } });
    } finally {
      await server.stop();
    }
  });

  it.each([
    ['jobs', 'run', word, '--input', '{}'],
    ['jobs', 'status', word, 'job'],
    ['jobs', 'status', 'echo', word],
    ['jobs', 'cancel', 'echo', word, '--yes'],
    ['jobs', 'stream', 'echo', word],
    ['queue', 'purge', word, '--yes'],
    ['health', word],
    ['pods', 'get', word],
    ['pods', 'logs', word],
    ['pods', 'terminate', word, '--yes'],
    ['endpoints', 'get', word],
    ['endpoints', 'workers', word],
    ['volumes', 'delete', word, '--yes'],
    ['templates', 'get', word],
    ['registries', 'get', word],
    ['clusters', 'get', word],
    ['catalog', 'gpus', word],
    ['local', 'fault', 'clear', word],
  ])('on the command line: berth %s %s %s', async (...argv) => {
    const { code, err } = await berth(['--local', ...argv]);
    expect([code, err]).toEqual([4, expect.not.stringContaining('a bug in berth')]);
  });

  it('as a status, a count and a member of an answer', async () => {
    const answer = { id: 'j', status: word, [word]: word };
    const server = await serve([json(answer), json({ jobs: { [word]: 1 }, workers: { [word]: 2 } })]);
    const world = createTestWorld({ env: pointedAt(server.url) });
    for (const argv of [
      ['jobs', 'status', 'e', 'j'],
      ['health', 'e'],
    ]) {
      const ran = await berthIn(world, [...argv]);
      expect([argv, ran.code, ran.err, ran.out]).toEqual([argv, 0, ran.err, expect.stringContaining(word)]);
    }
  });

  it('as an endpoint, after the state was read from its file', async () => {
    const world = createTestWorld();
    expect(
      (
        await berthIn(world, [
          '--local',
          'volumes',
          'create',
          '--name',
          'v',
          '--size',
          '10',
          '--data-center',
          'EU-WEST-1',
          '--type',
          'STANDARD',
        ])
      ).code,
    ).toBe(0);
    expect((await berthIn(world, ['--local', 'queue', 'purge', word, '--yes'])).code).toBe(4);
    expect((await berthIn(world, ['--local', 'health', word])).code).toBe(4);
  });
});

/** A path with the word in place of all ids, and in place of each id while the others exist. */
const targets = (path: string, word: string): readonly string[] => {
  const known: Readonly<Record<string, string>> = { endpointId: 'echo' };
  const all = path.replace(/\{\w+\}/g, word);
  const last = path.replace(/\{(\w+)\}(?=.*\{)/g, (_, name: string) => known[name] ?? word).replace(/\{\w+\}/, word);
  return [...new Set([all, last])];
};

/** A local service on a free port that has an endpoint of that name with a handler module. */
async function served(directory: string, endpoint: string) {
  const { createLocalHost } = await import('../../src/host/context.ts');
  const { realClock } = await import('../../src/host/runtime/runtime.ts');
  const { PassThrough } = await import('node:stream');
  const host = createLocalHost({
    clock: realClock,
    random: () => 0.5,
    cwd: directory,
    env: {},
    platform: process.platform,
    workerRunner: () => '',
    stderr: new PassThrough(),
    holdProgram: () => undefined,
    user: undefined,
  });
  return await host.serve({
    port: 0,
    endpoints: Object.fromEntries([[endpoint, 'handler.mjs']]),
    queueLimits: true,
    streamShape: 'array',
    allowPrivateWebhooks: false,
  });
}
