import { describe, expect, test } from 'vitest';
import { answerQuestion } from '../../../support/worlds/answer-question.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, KEYS, type TestWorld } from '../../../support/worlds/test-world.ts';
import { objectionsTo } from '../../../support/schemas/printed-schemas.ts';
import { freePort } from '../../../support/servers/http-server.ts';
import {
  json,
  pointedAt,
  problem,
  reset,
  routed,
  serve,
  text,
  type Behaviour,
} from '../../../support/servers/scripted-server.ts';
import { onWrite } from '../../../support/worlds/read-write-commands.ts';

const LOCAL = { env: { BERTH_LOCAL: '1' } };
const CREATE = ['volumes', 'create', '--quiet', '--name', 'data', '--size', '100', '--data-center', 'DC-1'];

/** The command line with another value of a flag. */
const withFlag = (flag: string, value: string): readonly string[] =>
  CREATE.map((word, at) => (CREATE[at - 1] === flag ? value : word));

describe('the volume API that create uses, v1 or v2', () => {
  const V2 = { name: 'data', size: 100, dataCenter: 'DC-1' };
  const V1 = { name: 'data', size: 100, dataCenterId: 'DC-1' };

  test.each<[string, readonly string[], boolean, string, Readonly<Record<string, unknown>>]>([
    ['no rest address', [], false, '/v2/network-volumes', V2],
    ['a rest address', [], true, '/v1/networkvolumes', V1],
    ['a rest address and a tier', ['--type', 'STANDARD'], true, '/v2/network-volumes', { ...V2, type: 'STANDARD' }],
    [
      'a rest address and a tier by --set',
      ['--set', 'type=STANDARD'],
      true,
      '/v2/network-volumes',
      { ...V2, type: 'STANDARD' },
    ],
    ['a member that v1 may know', ['--set', 'later=1'], true, '/v1/networkvolumes', { ...V1, later: 1 }],
  ])('with %s', async (_, flags, rest, path, body) => {
    const server = await serve([json({ id: 'v1', name: 'data' }, 201)]);
    const { BERTH_REST_URL: _rest, ...base } = pointedAt(server.url);
    const ran = await berth([...CREATE, ...flags], { env: rest ? pointedAt(server.url) : base });
    expect(ran.code, ran.err).toBe(0);
    expect(server.seen.map(({ url }) => url)).toEqual([path]);
    expect(JSON.parse(server.seen[0]?.body.toString() ?? '')).toEqual(body);
  });

  test('an answer of v1 is printed as the schema of the command says', async () => {
    const server = await serve([json({ ...V1, id: 'v1', size: 100, later: 1 }, 201)]);
    const { out } = await berth([...CREATE, '--json'], { env: pointedAt(server.url) });
    expect(objectionsTo('volumes create', JSON.parse(out))).toBeUndefined();
    expect(JSON.parse(out)).toEqual({ ...V2, id: 'v1', type: 'STANDARD', later: 1 });
  });

  test.each<[string, () => Promise<string> | string, string]>([
    ['answers 404', async () => (await serve([problem(404, 'gone')])).url, '404'],
    ['answers 410', async () => (await serve([problem(410, 'gone')])).url, '410'],
    ['refuses the connection', async () => `http://127.0.0.1:${String(await freePort())}`, 'connection refused'],
    ['has a host that is unknown', () => 'https://nothing.invalid', 'the host name'],
  ])('a v1 that %s gives way to v2 at once, which one line says each time', async (_, rest, why) => {
    const server = await serve([routed({ 'POST /v2/network-volumes': json({ id: 'v1', name: 'data' }, 201) })]);
    const world = createTestWorld({ env: { ...pointedAt(server.url), BERTH_REST_URL: await rest() } });
    const started = world.clock.monotonic();
    for (let time = 0; time < 2; time++) {
      const ran = await berthIn(world, CREATE);
      expect([ran.code, ran.err.match(/v1/g)?.length]).toEqual([0, 1]);
      expect(ran.err).toContain(why);
    }
    expect(world.clock.monotonic()).toBe(started);
    const writes = server.seen.filter(({ method }) => method === 'POST');
    expect(writes.map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual([V2, V2]);
  });

  test.each<[string, Behaviour, number]>([
    ...[400, 401, 403, 409, 422].map((status): [string, Behaviour, number] => [
      `answers ${status}`,
      problem(status, 'no'),
      status === 401 || status === 403 ? 3 : 5,
    ]),
    ['answers 500', problem(500, 'no'), 8],
    ['answers 503', problem(503, 'no'), 8],
    ['loses the answer', reset, 8],
  ])('a v1 that %s is not tried again on v2', async (_, behaviour, exit) => {
    const server = await serve([onWrite(behaviour)]);
    const ran = await berth(CREATE, { env: pointedAt(server.url) });
    expect(ran.code).toBe(exit);
    const writes = server.seen.filter(({ method }) => method === 'POST');
    expect(writes.map(({ url }) => url)).toEqual(['/v1/networkvolumes']);
  });

  test('a dry run shows the request of v1, and says when v2 takes its place', async () => {
    const server = await serve([]);
    const ran = await berth([...CREATE, '--dry-run'], { env: pointedAt(server.url) });
    const { url } = JSON.parse(ran.out) as { readonly url: string };
    expect([ran.code, new URL(url).pathname]).toEqual([0, '/v1/networkvolumes']);
    expect(server.seen.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(ran.err).toContain('v2 creates the volume');
  });

  test('the local service answers v1, until a fault retires it', async () => {
    const account = createAccount();
    const env = { BERTH_REST_URL: 'http://localhost' };
    const create = (name: string) =>
      account(`volumes create --name ${name} --size 100 --data-center EU-WEST-1 --json`, { env });
    const first = await create('a');
    expect([first.code, first.err]).toEqual([0, expect.not.stringContaining('v1') as string]);
    await local(account, "local fault add server-error --status 410 --match 'POST /v1/networkvolumes'");
    expect(await create('b')).toMatchObject({ code: 0, err: expect.stringContaining('retired (410)') as string });
    expect(await local(account, 'volumes list -o id')).toMatch(/(?:vol-0\S+\n?){2}/);
  });
});

test.each<[string, readonly string[], RegExp]>([
  ['nothing', ['volumes', 'create'], /missing --name and --size and --data-center/],
  ['a small one', withFlag('--size', '9'), /at least 10 GB; 9 is too small/],
  [
    'a small one by --set',
    ['volumes', 'create', '--set', 'size=9', '--name', 'x', '--data-center', 'y'],
    /at least 10 GB/,
  ],
  ['a large one', withFlag('--size', '4097'), /beyond 4 TB\n.*contact the support/],
  ['nowhere', withFlag('--data-center', ' '), /--data-center is empty/],
])('%s is refused before anything is sent', async (_, argv, words) => {
  const ran = await berth(argv, LOCAL);
  expect([ran.code, ran.out]).toEqual([2, '']);
  expect(ran.err).toMatch(words);
});

test('the output of get can be passed to create and update; the size can grow but not shrink', async () => {
  const world = createTestWorld(LOCAL);
  const made = await berthIn(world, [
    'volumes',
    'create',
    '--name',
    'a',
    '--size',
    '100',
    '--data-center',
    'EU-WEST-1',
    '--type',
    'STANDARD',
  ]);
  expect(made.code, made.err).toBe(0);
  expect(made.err).toBe('100 GB in EU-WEST-1 costs $7.00 a month, used or not, until it is deleted.\n');
  const yaml = await berthIn(world, ['volumes', 'get', 'a', '-o', 'yaml']);
  const piped = () => ({ ...createTestWorld({ ...LOCAL, stdin: yaml.out }), home: world.home, env: world.env });
  const copy = await berthIn(piped(), ['volumes', 'create', '--file', '-', '--name', 'b', '--json']);
  expect(copy.code, copy.err).toBe(0);
  expect(JSON.parse(copy.out)).toMatchObject({ name: 'b', size: 100, dataCenter: 'EU-WEST-1' });
  expect((await berthIn(piped(), ['volumes', 'update', 'a', '--file', '-', '--size', '200'])).code).toBe(0);
  const shrunk = await berthIn(world, ['volumes', 'update', 'a', '--size', '150']);
  expect([shrunk.code, shrunk.err]).toEqual([2, expect.stringContaining('never shrinks; it has 200 GB')]);
});

test('on a terminal missing values are asked for, the data center from a list, and the cost is shown before', async () => {
  const world = createTestWorld({ ...LOCAL, tty: true });
  const running = berthIn(world, ['volumes', 'create', '--json']);
  await answer(world, 'Name', 'data', KEYS.enter);
  await answer(world, 'Size in GB', '50', KEYS.enter);
  await answer(world, 'Data center', KEYS.enter);
  await answer(world, 'Create it for $3.50 a month?', 'y', KEYS.enter);
  const ran = await running;
  expect(ran.code, ran.err).toBe(0);
  expect(JSON.parse(world.out())).toMatchObject({ name: 'data', size: 50 });
  expect(ran.err).toMatch(/50 GB in \S+ costs \$3\.50 a month/);
});

describe('delete', () => {
  const asked = async (world: TestWorld, ...ids: readonly string[]): Promise<string> => {
    const running = berthIn(world, ['volumes', 'delete', ...ids]);
    await answer(world, 'to continue:', KEYS.enter);
    expect((await running).code).toBe(2);
    return world.err().replace(/\s+/g, ' ');
  };

  test('of a volume in use is refused before anything is sent, with who uses it and since when', async () => {
    const world = createTestWorld({ ...LOCAL, columns: 400 });
    const use = ['endpoints', 'update', 'demo', '--set', 'networkVolumes=["vol-datasets"]'];
    expect((await berthIn(world, use)).code).toBe(0);
    const one = await berthIn(world, ['volumes', 'delete', 'datasets', '--yes']);
    expect([one.code, one.out]).toEqual([5, '']);
    expect(one.err).toMatch(
      /^error: volume vol-datasets \(datasets\) is mounted by pod pod-train \(train-llm\) since \d{4}-\S+Z \(\S+ ago\), used by endpoint demo \(demo\) since .*: nothing was sent/,
    );
    expect(one.err).toContain('Terminate what mounts it: berth --local pods terminate pod-train');
    expect(one.err).toContain(
      "Take it out of endpoint demo (demo): berth --local endpoints update demo --set 'networkVolumes=[]'",
    );
    const several = await berthIn(world, ['volumes', 'delete', 'datasets', 'vol-scratch', 'vol-checkpoints', '--yes']);
    expect([several.code, several.err]).toEqual([5, expect.stringContaining('2 of 3 are protected') as string]);
    expect((await berthIn(world, ['volumes', 'list', '-o', 'id'])).out.split('\n')).toHaveLength(4);
  });

  test('of a volume in use with --force says who uses it, and asks for its name', async () => {
    const world = createTestWorld({ ...LOCAL, tty: true, columns: 400 });
    const question = await asked(world, 'datasets', '--force');
    expect(question).toContain('volume vol-datasets (datasets) is mounted by pod pod-train (train-llm) since');
    expect(question).toContain('Type "datasets" to continue:');
    expect(question).toContain('not confirmed: nothing was changed');
  });

  test('takes only the name that is asked for', async () => {
    const world = createTestWorld({ ...LOCAL, tty: true });
    const running = berthIn(world, ['volumes', 'delete', 'vol-scratch']);
    await answer(world, 'Type "scratch" to continue:', 'y', KEYS.enter);
    while (!world.err().includes('This is not "scratch"')) await new Promise(setImmediate);
    await world.type('\u007f', 'scratch', KEYS.enter);
    expect((await running).code).toBe(0);
    expect((await berthIn(world, ['volumes', 'get', 'vol-scratch'])).code).toBe(4);
  });

  test('asks for the id where the name of the service cannot be typed', async () => {
    const server = await serve([
      routed({
        'GET /v2/network-volumes/v1': json({ id: 'v1', name: 'a\u001b[2Jb' }),
        'GET /v2/pods': json({ pods: [] }),
        'GET /v2/serverless': json({ endpoints: [] }),
      }),
    ]);
    const question = await asked(createTestWorld({ env: pointedAt(server.url), tty: true, columns: 400 }), 'v1');
    expect(question).toContain('Type "v1" to continue:');
  });

  test.each(['名前', 'v1'])('a name in other letters, or the id in its place, may be typed: %s', async (typed) => {
    const server = await serve([
      routed({
        'GET /v2/network-volumes/v1': json({ id: 'v1', name: '名前' }),
        'GET /v2/pods': json({ pods: [] }),
        'GET /v2/serverless': json({ endpoints: [] }),
        'DELETE /v2/network-volumes/v1': text('', 204),
      }),
    ]);
    const world = createTestWorld({ env: pointedAt(server.url), tty: true, columns: 400 });
    const argv = ['volumes', 'delete', 'v1'];
    const { code, err } = await answerQuestion(world, argv, 'Type "名前" or "v1" to continue:', typed);
    expect([code, err]).toEqual([0, expect.stringContaining('is deleted')]);
  });

  test('names ten users and counts the others, pods of clusters included', async () => {
    const pods = Array.from({ length: 13 }, (_, at) => ({
      id: `p${String(at)}`,
      name: 'a',
      mounts: { network: [{ volumeId: 'v1', path: '/w' }] },
    }));
    const server = await serve([
      routed({
        'GET /v2/network-volumes/v1': json({ id: 'v1', name: 'data' }),
        'GET /v2/pods': json({ pods }),
        'GET /v2/serverless': json({ endpoints: [{ id: 'e1' }, null, { networkVolumes: 7 }] }),
      }),
    ]);
    const ran = await berth(['volumes', 'delete', 'v1', '--yes'], { env: pointedAt(server.url) });
    expect([ran.code, ran.err]).toEqual([
      5,
      expect.stringContaining('by pod p9 (a), 3 more: nothing was sent') as string,
    ]);
    expect(server.seen.map(({ url }) => url)).toContain('/v2/pods?includeClusterPods=true');
  });

  test('names the cluster to delete where its pods mount the volume: they go with it', async () => {
    const account = createAccount();
    await local(
      account,
      'clusters create --name c --type RAY --gpu GPU-80G --gpu-count 1 --pods 2 --image i --network-volume datasets:/data',
    );
    await local(account, 'pods terminate pod-train --yes');
    const { code, err } = await account('volumes delete datasets --yes');
    expect([code, err]).toEqual([5, expect.stringMatching(/clusters delete cluster-\w+/)]);
    expect(err).not.toContain('pods terminate');
  });

  test('fails if who uses it cannot be read, and deletes nothing', async () => {
    const server = await serve([
      routed({ 'GET /v2/network-volumes/v1': json({ id: 'v1', name: 'data' }) }, problem(403, 'not with this key')),
    ]);
    const ran = await berth(['volumes', 'delete', 'v1', '--yes'], { env: pointedAt(server.url) });
    expect([ran.code, server.seen.filter(({ method }) => method !== 'GET')]).toEqual([3, []]);
  });

  test('reads nothing before it with --force and --yes', async () => {
    const server = await serve([text('', 204)]);
    const ran = await berth(['volumes', 'delete', 'v1', '--force', '--yes'], { env: pointedAt(server.url), tty: true });
    expect(ran.code, ran.err).toBe(0);
    expect(server.seen[0]?.method).toBe('DELETE');
  });
});

async function answer(world: TestWorld, question: string, ...keys: readonly string[]): Promise<void> {
  while (!world.err().includes(question)) await new Promise(setImmediate);
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  await world.type(...keys);
}
