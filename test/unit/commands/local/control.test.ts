import { describe, expect, it, onTestFinished, test } from 'vitest';
import { serveLocal } from '../../../../src/local/http/server.ts';
import type { LocalServiceOptions } from '../../../../src/local/service.ts';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { localFixture } from '../../../support/local/service-fixture.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

/** A local service on a free port, as `berth local serve` starts it, and the variables with its addresses. */
async function served(options: Partial<LocalServiceOptions> = {}) {
  const fixture = localFixture(options);
  const server = await serveLocal(fixture.service, { port: 0, host: '127.0.0.1' });
  onTestFinished(() => server.stop());
  const env = { BERTH_BASE_URL: server.url, BERTH_QUEUE_URL: server.url, BERTH_REST_URL: server.url };
  return { ...fixture, env, keyed: { ...env, BERTH_API_KEY: 'berth-local-full-access' } };
}

describe('control commands over HTTP', () => {
  const COMMANDS = [['status'], ['reset', '--yes'], ['clock', 'advance', '1h'], ['fault', 'clear']];

  it.each(COMMANDS)('need the key that `serve` printed, and end 3 with another: local %s %s', async (...argv) => {
    const { env, keyed } = await served();
    expect((await berth(['local', ...argv], { env: keyed })).code).toBe(0);
    const { code, err } = await berth(['local', ...argv], { env: { ...env, BERTH_API_KEY: 'another' } });
    expect([code, err]).toEqual([3, expect.stringContaining('printed when it was started')]);
  });
});

test('`local env` prints the variables for the service of a port, for a shell or as an object', async () => {
  const { env } = await served();
  const port = new URL(env.BERTH_BASE_URL).port;
  const { out } = await berth(['local', 'env', '--port', port, '--json']);
  expect((await berth(['pods', 'list', '--json'], { env: JSON.parse(out) as Record<string, string> })).code).toBe(0);
  expect((await berth(['local', 'env'])).out).toContain('export BERTH_BASE_URL=http://127.0.0.1:8181\n');
});

describe('the access of control commands', () => {
  it.each<readonly [number, readonly string[]]>([
    [3, ['reset', '--yes']],
    [0, ['fault', 'clear']],
    [0, ['stock', 'clear']],
    [0, ['clock', 'advance', '1h']],
  ])('with `write` ends with %i, because only a reset destroys: local %s %s', async (code, argv) => {
    const ran = await berth(['--local', 'local', ...argv], { env: { BERTH_ACCESS: 'write' } });
    expect(ran.code, ran.err).toBe(code);
  });
});

test('a reset forgets what was just created and submitted: nothing is waited for', async () => {
  const world = createTestWorld({ env: { BERTH_LOCAL: '1' } });
  const create = 'pods create --name lab --gpu GPU-24G --image a/b -o id';
  const pod = (await berthIn(world, create.split(' '))).out.trim();
  const job = (await berthIn(world, ['jobs', 'run', 'demo', '--input', '{}'])).out.trim();
  await berthIn(world, ['local', 'reset', '--yes']);
  for (const argv of [
    ['pods', 'get', pod],
    ['jobs', 'status', 'demo', job],
  ]) {
    const ran = await berthIn(world, argv);
    expect([ran.code, ran.err]).toEqual([4, expect.not.stringContaining('not there yet') as string]);
  }
  expect((await berthIn(world, ['pods', 'stop', '--all', '--yes', '--dry-run'])).err).not.toContain('Not listed yet');
});

describe('local reset --seed', () => {
  const names = async (...flags: readonly string[]): Promise<readonly string[]> => {
    const world = createTestWorld();
    if (flags.length > 0) await berthIn(world, ['--local', 'local', 'reset', '--yes', ...flags]);
    const { out } = await berthIn(world, ['--local', 'pods', 'list', '--json']);
    return (JSON.parse(out) as readonly { readonly name: string }[]).map(({ name }) => name);
  };
  const isOdd = (name: string): boolean => name.length > 200 || /\p{Cc}/u.test(name);

  it('gives a new account names that are difficult to print only with `odd`', async () => {
    for (const flags of [[], ['--seed', 'plain']]) expect((await names(...flags)).filter(isOdd)).toEqual([]);
    expect((await names('--seed', 'odd')).filter(isOdd)).toHaveLength(2);
  });
});

test('job ids are not used again after a reset', async () => {
  const world = createTestWorld();
  const submit = async (): Promise<string> =>
    (await berthIn(world, ['--local', 'jobs', 'run', 'echo', '--input', '{}'])).out.trim();
  const ids = [await submit(), await submit()];
  for (let round = 0; round < 3; round++) {
    await berthIn(world, ['--local', 'local', 'reset', '--yes']);
    expect((await berthIn(world, ['--local', 'jobs', 'status', 'echo', ids.at(-1) ?? ''])).code).toBe(4);
    ids.push(await submit(), await submit());
  }
  expect(new Set(ids).size).toBe(ids.length);
});

describe('faults', () => {
  it.each(['abc', '0', '1.5'])('a probability of %j is refused before anything is sent', async (probability) => {
    const { code, err } = await berth(['--local', 'local', 'fault', 'add', 'drop', '--probability', probability]);
    expect([code, err]).toEqual([2, expect.stringContaining('--probability takes a number above 0, up to 1')]);
  });

  it('with --endpoint affect only requests to that endpoint', async () => {
    const world = createTestWorld({ env: { BERTH_LOCAL: '1' } });
    const added = await berthIn(world, ['local', 'fault', 'add', 'server-error', '--endpoint', 'demo', '--json']);
    expect(JSON.parse(added.out)).toMatchObject({ kind: 'server-error', endpoint: 'demo' });
    const codes: number[] = [];
    for (const endpoint of ['demo', 'echo'])
      codes.push((await berthIn(world, ['health', endpoint, '--retries', '0'])).code);
    expect(codes).toEqual([7, 0]);
  });

  it('are shown with readable names', async () => {
    const world = createTestWorld({ env: { BERTH_LOCAL: '1', NO_COLOR: '1' }, tty: { stdout: true } });
    const added = await berthIn(world, ['local', 'fault', 'add', 'latency', '--latency', '1500ms']);
    expect(added.out).toMatch(/latency\s+1500ms/);
    await berthIn(world, ['local', 'fault', 'add', 'rate-limit', '--retry-after', '90s', '--match', 'GET /v2/none']);
    const list = (await berthIn(world, ['local', 'fault', 'list', '-o', 'wide'])).out;
    expect(list).toMatch(/LATENCY[^]*RETRY AFTER/);
    const status = (await berthIn(world, ['local', 'status'])).out;
    expect(status).toMatch(/network volumes/);
    expect(added.out + list + status).not.toMatch(/latencyms|retryafter|advancedms|networkvolumes/i);
  });
});

describe.each(['array', 'object'] as const)('a stream as an %s', (streamShape) => {
  it('is printed in full, with the outcome of its job', async () => {
    const { keyed, send } = await served({ streamShape });
    const run = (...argv: readonly string[]) => berth(['jobs', 'run', ...argv, '--stream'], { env: keyed });
    const done = await run('stream', '--input', '{"chunks":3}', '--json');
    expect(done.code).toBe(0);
    expect(done.out.match(/stream_index/g)).toHaveLength(3);
    const failed = await run('fail', '--input', '{"error":"no luck"}');
    expect([failed.code, failed.err]).toEqual([10, expect.stringContaining('FAILED')]);
    const id = String((await send('POST', '/v2/stream/run', { input: { chunks: 2 } })).body['id']);
    await send('POST', '/local/clock', { advanceMs: 60_000 });
    const answer = JSON.parse((await send('GET', `/v2/stream/stream/${id}`)).text) as unknown;
    expect(answer).toEqual(
      streamShape === 'array'
        ? [expect.anything(), expect.anything()]
        : { status: 'COMPLETED', stream: [expect.anything(), expect.anything()] },
    );
  });
});

describe('commands of `berth local` with a profile of a service on this machine', () => {
  const CHANGES = [
    ['reset', '--yes'],
    ['stock', 'set', 'GPU-80G', '0'],
  ];

  /** A world whose profile `dev` is a served local service, and whose own local service has a fault set. */
  async function worldWithProfile(address?: string) {
    const { env } = await served();
    const world = createTestWorld();
    const url = address ?? env.BERTH_BASE_URL;
    const login = ['auth', 'login', '--with-key', '--profile', 'dev', '--base-url', url, '--no-check'];
    const input = createTestWorld({ stdin: 'berth-local-full-access\n' }).stdin;
    const ran = await berthIn({ ...world, stdin: input }, login);
    expect(ran.code, ran.err).toBe(0);
    return { world, url };
  }

  it.each(CHANGES)('act on that service, and say so: local %s %s', async (...argv) => {
    const { world, url } = await worldWithProfile();
    const ran = await berthIn(world, ['local', ...argv]);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err).toContain(`Changed: the local service at ${url} of the profile "dev".`);
  });

  it.each(CHANGES)(
    'say that the service of a profile that is elsewhere was left alone: local %s %s',
    async (...argv) => {
      const { world } = await worldWithProfile('https://service.test');
      const ran = await berthIn(world, ['local', ...argv]);
      expect(ran.code, ran.err).toBe(0);
      expect(ran.err).toContain(`Changed: the local service in ${world.directory}`);
    },
  );

  it('refuse a flag that names a service elsewhere: 2', async () => {
    const { world } = await worldWithProfile('https://service.test');
    for (const flags of [
      ['--profile', 'dev'],
      ['--base-url', 'https://service.test'],
    ]) {
      const ran = await berthIn(world, ['local', 'reset', '--yes', ...flags]);
      expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('names no service on this machine')]);
    }
  });
});
