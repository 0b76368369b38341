import { describe, expect, test } from 'vitest';
import { answer, answerQuestion, said } from '../../../support/worlds/answer-question.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, KEYS } from '../../../support/worlds/test-world.ts';
import { refusingPort } from '../../../support/servers/ports.ts';
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
    ['a member that v1 may know', ['--set', 'later=1'], true, '/v1/networkvolumes', { ...V1, later: 1 }],
  ])('with %s', async (_, flags, rest, path, body) => {
    const server = await serve([json({ id: 'v1', name: 'data' }, 201)]);
    const { BERTH_REST_URL: _rest, ...base } = pointedAt(server.url);
    const ran = await berth([...CREATE, ...flags], { env: rest ? pointedAt(server.url) : base });
    expect(ran.code, ran.err).toBe(0);
    expect(server.seen.map(({ url }) => url)).toEqual([path]);
    expect(JSON.parse(server.seen[0]?.body.toString() ?? '')).toEqual(body);
  });

  test.each<[string, () => Promise<string> | string]>([
    ['answers 404', async () => (await serve([problem(404, 'gone')])).url],
    ['answers 410', async () => (await serve([problem(410, 'gone')])).url],
    ['refuses the connection', async () => `http://127.0.0.1:${String(await refusingPort())}`],
    ['has a host that is unknown', () => 'https://nothing.invalid'],
  ])('a v1 that %s gives way to v2 at once', async (_, rest) => {
    const server = await serve([routed({ 'POST /v2/network-volumes': json({ id: 'v1', name: 'data' }, 201) })]);
    const world = createTestWorld({ env: { ...pointedAt(server.url), BERTH_REST_URL: await rest() } });
    const started = world.clock.monotonic();
    expect(await berthIn(world, CREATE)).toMatchObject({ code: 0, out: 'v1\n', err: '' });
    expect(world.clock.monotonic()).toBe(started);
    const writes = server.seen.filter(({ method }) => method === 'POST');
    expect(writes.map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual([V2]);
  });

  test.each<[string, Behaviour, number]>([
    ['answers 401', problem(401, 'no'), 3],
    ['answers 422', problem(422, 'no'), 5],
    ['answers 500', problem(500, 'no'), 8],
    ['loses the answer', reset, 8],
  ])('a v1 that %s is not tried again on v2', async (_, behaviour, exit) => {
    const server = await serve([onWrite(behaviour)]);
    const ran = await berth(CREATE, { env: pointedAt(server.url) });
    expect(ran.code).toBe(exit);
    const writes = server.seen.filter(({ method }) => method === 'POST');
    expect(writes.map(({ url }) => url)).toEqual(['/v1/networkvolumes']);
  });

  test('the local service answers v1, until a fault retires it', async () => {
    const account = createAccount();
    const env = { BERTH_REST_URL: 'http://localhost' };
    const create = (name: string) => account(`volumes create ${name} --size 100 --data-center EU-WEST-1`, { env });
    expect((await create('a')).code).toBe(0);
    await local(account, "local fault add server-error --status 410 --match 'POST /v1/networkvolumes'");
    expect((await create('b')).code).toBe(0);
    expect(await local(account, 'volumes list -o id')).toMatch(/(?:vol-0\S+\n?){2}/);
  });
});

test.each<[string, readonly string[], RegExp]>([
  ['nothing', ['volumes', 'create'], /missing --name and --size and --data-center/],
  ['a small one', withFlag('--size', '9'), /invalid --size 9: use 10 to 4096 GB/],
  ['a large one', withFlag('--size', '4097'), /invalid --size 4097/],
  ['nowhere', withFlag('--data-center', ' '), /--data-center is empty/],
])('%s is refused before anything is sent', async (_, argv, words) => {
  const ran = await berth(argv, LOCAL);
  expect([ran.code, ran.out]).toEqual([2, '']);
  expect(ran.err).toMatch(words);
});

test('the output of get can be passed to create and update; a larger size asks, a smaller one is refused', async () => {
  const account = createAccount();
  const made = await account('volumes create a --size 100 --data-center EU-WEST-1 --type STANDARD');
  expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^vol-\w+\n$/) as string });
  expect(made.err).toMatch(/^100 GB: \$7\.00\/month\ncreated volume a \(vol-\w+\)\n$/);
  const yaml = await local(account, 'volumes get a -o yaml');
  const copy = await account('volumes create --file - --name b --json', { stdin: yaml });
  expect(JSON.parse(copy.out)).toMatchObject({ name: 'b', size: 100, dataCenter: 'EU-WEST-1' });
  const larger = 'volumes update a --file - --size 200';
  expect(await account(larger, { stdin: yaml })).toMatchObject({
    code: 2,
    err: expect.stringMatching(/100 GB -> 200 GB, \$7\.00\/month -> \$14\.00\/month. It cannot shrink again/) as string,
  });
  expect(await account(`${larger} --yes`, { stdin: yaml })).toMatchObject({
    code: 0,
    out: '',
    err: 'updated volume a\n',
  });
  expect((await account('volumes update a --size 150')).code).toBe(5);
});

test('on a terminal missing values are asked for, the data center from a list', async () => {
  const world = createTestWorld({ ...LOCAL, tty: true, columns: 200 });
  const running = berthIn(world, ['volumes', 'create', '--json']);
  await answer(world, 'Name', 'data', KEYS.enter);
  await answer(world, 'Size in GB', '5', KEYS.enter);
  await answer(world, 'use 10 to 4096 GB', '\u007f', '50', KEYS.enter);
  await answer(world, 'Data center', KEYS.enter);
  expect((await running).code, world.err()).toBe(0);
  expect(JSON.parse(world.out())).toMatchObject({ name: 'data', size: 50 });
});

test('its price is said once there is a service, which says before that it is the local one', async () => {
  const create = ['volumes', 'create', 'data', '--size', '10', '--data-center', 'EU-NORTH-1'];
  const { err } = await berth(create, { ...LOCAL, tty: true });
  expect(err).toMatch(/^\(local service\)\n10 GB: \$0\.70\/month\ncreated volume data/);
  expect(await berth(create)).toMatchObject({ code: 3, err: expect.stringMatching(/^error: no service/) as string });
});

describe('delete', () => {
  test('of a volume in use is refused, with who uses it; the others of several are deleted', async () => {
    const account = createAccount();
    await local(account, `endpoints update demo --set 'networkVolumes=["vol-datasets"]'`);
    expect(await account('volumes delete datasets --yes')).toMatchObject({
      code: 5,
      out: '',
      err: expect.stringMatching(
        /^error: volume datasets \(vol-datasets\) is used by pod \S+ \(pod-train\), endpoint \S+ \(demo\)\n.*--force/,
      ) as string,
    });
    const several = await account('volumes delete datasets vol-scratch vol-checkpoints --yes --json');
    expect(several.code).toBe(5);
    expect(JSON.parse(several.out)).toMatchObject([{ ok: false }, { id: 'vol-scratch', ok: true }, { ok: false }]);
    expect(several.err).toContain('2 of 3 did not go through');
    expect((await local(account, 'volumes list -o id')).split('\n')).toHaveLength(2);
  });

  test('takes only the name that is asked for', async () => {
    const world = createTestWorld({ ...LOCAL, tty: true, columns: 200 });
    const running = berthIn(world, ['volumes', 'delete', 'vol-scratch']);
    await answer(world, 'Type scratch to continue:', 'y', KEYS.enter);
    await said(world, 'not scratch; Enter cancels');
    await world.type('\u007f', 'scratch', KEYS.enter);
    expect((await running).code).toBe(0);
    expect((await berthIn(world, ['volumes', 'get', 'vol-scratch'])).code).toBe(4);
    expect(
      await answerQuestion(world, ['volumes', 'delete', 'checkpoints', '--force'], 'checkpoints to continue:'),
    ).toMatchObject({ code: 2, err: expect.stringContaining('not confirmed: nothing was changed') as string });
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
