import { describe, expect, test } from 'vitest';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';
import { json, pointedAt, routed, serve } from '../../../support/servers/scripted-server.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

const LOCAL = { env: { BERTH_LOCAL: '1' } };
const CREATE = ['clusters', 'create', '--name', 'c', '--type', 'TRAINING', '--gpu', 'GPU-80G', '--gpu-count', '8'];
const BODY = { name: 'c', type: 'TRAINING', compute: { gpuTypeId: 'GPU-80G', gpuCountPerPod: 8, podCount: 2 } };

describe('the body that create sends', () => {
  test.each<[string, readonly string[], Readonly<Record<string, unknown>>]>([
    ['least', [], {}],
    [
      'a volume where clusters have it',
      ['--network-volume', 'vol-datasets'],
      { mounts: { network: [{ volumeId: 'vol-datasets', path: '/workspace' }] } },
    ],
    ['servers', ['--start-ssh', '--start-jupyter'], { startSsh: true, startJupyter: true }],
    [
      'places and a container',
      ['--data-center', 'EU-NORTH-1,US-EAST-1', '--image', 'i', '--env', 'A=1'],
      { dataCenterIds: ['EU-NORTH-1', 'US-EAST-1'], image: 'i', env: { A: '1' } },
    ],
  ])('%s', async (_, flags, expected) => {
    const ran = await berth([...CREATE, '--pods', '2', ...flags, '--dry-run'], LOCAL);
    expect(ran.code, ran.err).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({ method: 'POST', body: { ...BODY, ...expected } });
  });
});

test.each<[string, readonly string[], RegExp]>([
  ['nothing but a name', ['clusters', 'create', '--name', 'c'], /missing --type and --gpu and --gpu-count and --pods/],
  ['an empty name', ['clusters', 'update', 'c', '--name', ' '], /--name is empty/],
])('%s is refused before anything is sent', async (_, argv, words) => {
  const ran = await berth(argv, LOCAL);
  expect([ran.code, ran.out]).toEqual([2, '']);
  expect(ran.err).toMatch(words);
});

test('a cluster is created, waited for, renamed, copied and deleted; its price is shown before', async () => {
  const world = createTestWorld(LOCAL);
  const created = await berthIn(world, [...CREATE, '--pods', '2', '--image', 'i', '--wait', '--json']);
  expect(created.code, created.err).toBe(0);
  expect(JSON.parse(created.out)).toMatchObject({ pods: { total: 2, byStatus: { RUNNING: 2 } } });

  const pods = await berthIn(world, ['clusters', 'pods', 'c']);
  const lines = pods.out.trim().split('\n');
  expect(lines[0]).toMatch(/^RANK\tROLE\tIP\tID\tNAME\tSTATUS/);
  expect(lines.slice(1).map((line) => line.split('\t')[0])).toEqual(['0', '1']);

  const renamed = await berthIn(world, ['clusters', 'update', 'c', '--name', 'd', '--json']);
  expect(JSON.parse(renamed.out)).toMatchObject({ name: 'd' });

  const yaml = await berthIn(world, ['clusters', 'get', 'd', '-o', 'yaml']);
  const piped = { ...createTestWorld({ ...LOCAL, stdin: yaml.out }), home: world.home, env: world.env };
  const copied = await berthIn(piped, ['clusters', 'create', '--file', '-', '--name', 'copy', '--dry-run']);
  expect(JSON.parse(copied.out)).toMatchObject({ body: { ...BODY, name: 'copy', dataCenterIds: ['EU-NORTH-1'] } });

  expect((await berthIn(world, ['clusters', 'delete', 'd', '--yes'])).code).toBe(0);
  expect((await berthIn(world, ['clusters', 'list', '--json'])).out.trim()).toBe('[]');
});

test('a create says its price at a terminal, and prints the id in a pipe', async () => {
  const line = 'clusters create c --type TRAINING --gpu GPU-80G --gpu-count 8 --pods 2 --image i';
  const shown = await createAccount()(line, { tty: true });
  expect(shown.err).toMatch(/GPU-80G x8 on 2 pods: \$38\.24\/h\n[^]*created cluster c \(cluster-\w+\)\n/);
  expect((await createAccount()(line)).out).toMatch(/^cluster-\w+\n$/);
});

test('a wait that sees a pod in ERROR ends 10 and prints the cluster', async () => {
  const cluster = { id: 'c1', name: 'c', pods: { total: 2, byStatus: { RUNNING: 1, ERROR: 1 } } };
  const server = await serve([
    routed({
      'POST /v2/clusters': json(cluster, 201),
      'GET /v2/clusters/c1': json(cluster),
      'GET /v2/catalog/gpus': json({}),
    }),
  ]);
  const ran = await berth([...CREATE, '--pods', '2', '--wait', '--json'], { env: pointedAt(server.url) });
  expect(ran.code).toBe(10);
  expect(JSON.parse(ran.out)).toEqual(cluster);
});

test('a pod of a cluster is not terminated: the refusal names the cluster', async () => {
  const account = createAccount();
  await local(account, 'clusters create --name c --type RAY --gpu GPU-80G --gpu-count 1 --pods 2 --image i');
  const { code, err } = await account('pods terminate c-0 --yes');
  expect([code, err]).toEqual([5, expect.stringContaining('the pod is a member of cluster cluster-000001')]);
  expect((await local(account, 'clusters pods c -o id')).split('\n')).toHaveLength(2);
});
