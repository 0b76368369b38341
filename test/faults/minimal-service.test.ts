import { describe, expect, test } from 'vitest';
import { berth, type Ran } from '../support/worlds/run-berth.ts';
import { bare, minimal } from '../support/servers/minimal-service.ts';
import { expectNoKeyNoStack, fails } from '../support/worlds/expect-run.ts';
import { pointedAt, routed, serve, type Arrival } from '../support/servers/scripted-server.ts';

// The client against a queue that answers exactly what the specification shows and nothing more; contract/recorder.test.ts has
// the least that the management API answers.

async function run(argv: readonly string[]): Promise<Ran & { readonly seen: readonly Arrival[] }> {
  const server = await serve([minimal()]);
  const ran = await berth(argv, { env: pointedAt(server.url) });
  expectNoKeyNoStack(ran);
  expect(ran.code, ran.err).toBe(0);
  return { ...ran, seen: server.seen };
}

test.each(['d-empty', 'd-none'])('registries delegations revoke %s', async (id) => {
  const { out, seen } = await run(['registries', 'delegations', 'revoke', id, '--yes']);
  expect(out).toBe('');
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([`DELETE /v2/registries/delegations/${id}`]);
});

test('volumes create uses the v1 API', async () => {
  const { out, seen } = await run(['volumes', 'create', '--name', 'data', '--size', '100', '--data-center', 'DC-1']);
  expect(out).toBe('vol1\n');
  const posts = seen.filter(({ method }) => method === 'POST');
  expect(posts.map(({ url, body }) => [url, JSON.parse(body.toString()) as unknown])).toEqual([
    ['/v1/networkvolumes', { name: 'data', size: 100, dataCenterId: 'DC-1' }],
  ]);
  expect(posts[0]?.headers['content-type']).toBe('application/json');
});

describe('jobs', () => {
  const lines = ({ seen }: { readonly seen: readonly Arrival[] }): string[] =>
    seen.map(({ method, url }) => `${method} ${url}`);

  test('run prints the job id', async () => {
    const ran = await run(['jobs', 'run', 'ep1', '--input', '{"n":1}']);
    expect(ran.out).toBe('job1\n');
    expect(lines(ran)).toEqual(['POST /v2/ep1/run']);
  });

  test('run --wait polls to the result', async () => {
    const ran = await run(['jobs', 'run', 'ep1', '--input', '{"n":1}', '--wait', '--json']);
    expect(JSON.parse(ran.out)).toMatchObject({ status: 'COMPLETED', output: { n: 1 } });
    expect(lines(ran)).toEqual(['POST /v2/ep1/run', 'GET /v2/ep1/status/job1', 'GET /v2/ep1/status/job1']);
  });

  test.each(['ep1', 'some-model-slug'])('run --sync on %s', async (endpoint) => {
    const ran = await run(['jobs', 'run', endpoint, '--input', '{}', '--sync', '--sync-wait', '120s']);
    expect(ran.out).toContain('COMPLETED');
    expect(lines(ran)).toEqual([`POST /v2/${endpoint}/runsync?wait=120000`]);
  });

  test('status, with and without ttl', async () => {
    expect((await run(['jobs', 'status', 'ep1', 'job1'])).out).toContain('IN_PROGRESS');
    expect(lines(await run(['jobs', 'status', 'ep1', 'job1', '--ttl', '6s']))).toEqual([
      'GET /v2/ep1/status/job1?ttl=6000',
    ]);
  });

  test.each([
    ['stream', ['jobs', 'stream', 'ep1', 'job1']],
    ['run --stream', ['jobs', 'run', 'ep1', '--input', '{}', '--stream']],
  ])('%s prints the text of the chunks as they arrive', async (_, argv) => {
    expect((await run(argv)).out).toBe('Hello, world\n');
  });

  test('wait', async () => {
    expect((await run(['jobs', 'wait', 'ep1', 'job1', '-o', 'id'])).out).toBe('job1\n');
  });

  test('cancel and retry', async () => {
    expect((await run(['jobs', 'cancel', 'ep1', 'job1'])).err).toBe('cancelled job job1\n');
    expect((await run(['jobs', 'retry', 'ep1', 'failed'])).err).toBe('retried job failed\n');
  });

  test('of an unknown id, answered with an empty 404: 4 with the possible reasons', async () => {
    for (const verb of ['status', 'stream', 'wait', 'cancel', 'retry'])
      await fails(['jobs', verb, 'ep1', 'nope'], { exit: 4, says: ['404', /Results are kept/] }, [
        routed({}, bare(404)),
      ]);
  });

  test.each([
    [400, 5],
    [401, 3],
    [403, 3],
    [413, 5],
    [429, 6],
    [500, 8],
  ] as const)('run answered with a bare %i: %i', async (status, exit) => {
    await fails(['jobs', 'run', 'ep1', '--input', '{}'], { exit, says: [String(status)] }, [bare(status)]);
  });
});

test('queue purge and health', async () => {
  const purged = await run(['queue', 'purge', 'ep1', '--yes', '--json']);
  expect(JSON.parse(purged.out)).toEqual({ removed: 3, status: 'completed' });
  const { out } = await run(['health', 'ep1']);
  for (const word of ['in queue', 'in progress', 'completed', 'idle', 'running']) expect(out).toContain(word);
});
