import { describe, expect, test } from 'vitest';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';
import { json, pointedAt, problem, routed, serve } from '../../../support/servers/scripted-server.ts';

const LOCAL = { env: { BERTH_LOCAL: '1' } };

interface Preview {
  readonly method: string;
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The request that a command would send, from a dry run at a service that cannot be read: the ids are those given. */
async function preview(...argv: readonly string[]): Promise<Preview> {
  const server = await serve([problem(403, 'not with this key')]);
  const ran = await berth([...argv, '--dry-run'], { env: pointedAt(server.url) });
  expect(ran.code, ran.err).toBe(0);
  return JSON.parse(ran.out) as Preview;
}

const CREATE = ['endpoints', 'create', '--name', 'e', '--image', 'i'];
const GPU = ['--gpu-pool', 'POOL-24G'];
const QUEUE = { type: 'QUEUE', name: 'e', image: 'i', scaling: { type: 'QUEUE_DELAY', queueDelay: 4 } };

describe('the body that create sends', () => {
  test.each<[string, readonly string[], Readonly<Record<string, unknown>>]>([
    ['least', GPU, { gpu: { pools: ['POOL-24G'] } }],
    [
      'all of the GPU',
      ['--gpu-pool', 'A', '--exclude-gpu', 'X', '--gpu-count', '2', '--cuda', '12.4,12.8'],
      { gpu: { pools: ['A'], excludedTypes: ['X'], count: 2, allowedCudaVersions: ['12.4', '12.8'] } },
    ],
    [
      'CPUs',
      ['--cpu', 'cpu-general:4,cpu-compute:8'],
      {
        cpu: [
          { id: 'cpu-general', vcpuCount: 4 },
          { id: 'cpu-compute', vcpuCount: 8 },
        ],
      },
    ],
    [
      'workers',
      [...GPU, '--workers-min', '0', '--workers-max', '5', '--idle-timeout', '2m'],
      { gpu: { pools: ['POOL-24G'] }, workers: { min: 0, max: 5, idleTimeout: 120 } },
    ],
    [
      'half a second of delay',
      [...GPU, '--queue-delay', '500ms'],
      { gpu: { pools: ['POOL-24G'] }, scaling: { type: 'QUEUE_DELAY', queueDelay: 0.5 } },
    ],
    [
      'a load balancer, which scales by requests',
      [...GPU, '--type', 'LOAD_BALANCER'],
      {
        type: 'LOAD_BALANCER',
        gpu: { pools: ['POOL-24G'] },
        scaling: { type: 'REQUEST_COUNT', requestCount: 4 },
      },
    ],
    [
      'places and the rest',
      [...GPU, '--data-center', 'A,B', '--network-volume', 'v1,v2', '--flashboot', 'flashboot', '--template', 't'],
      {
        gpu: { pools: ['POOL-24G'] },
        dataCenterIds: ['A', 'B'],
        networkVolumes: ['v1', 'v2'],
        flashboot: 'FLASHBOOT',
        templateId: 't',
      },
    ],
  ])('%s', async (_, flags, expected) => {
    const { method, url, body } = await preview(...CREATE, ...flags);
    expect([method, new URL(url).pathname]).toEqual(['POST', '/v2/serverless']);
    expect(body).toEqual({ ...QUEUE, ...expected });
  });
});

describe('create and update refuse before anything is sent', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['no image and no template', ['endpoints', 'create', '--name', 'e', ...GPU], /missing --template or --image/],
    ['neither gpu nor cpu', CREATE, /missing --gpu-pool or --cpu/],
    ['gpu and cpu', [...CREATE, ...GPU, '--cpu', 'c:2'], /use either --gpu-pool or --cpu/],
    ['a CPU without vCPUs', [...CREATE, '--cpu', 'c'], /--cpu takes FLAVOR:VCPUS/],
    ['two ways to scale', [...CREATE, ...GPU, '--queue-delay', '4', '--request-count', '4'], /use either/],
    [
      'two CUDA constraints',
      [...CREATE, ...GPU, '--cuda', '12.4', '--min-cuda', '12.4'],
      /use either --cuda or --min-cuda/,
    ],
  ])('%s', async (_, argv, words) => {
    const ran = await berth(argv, LOCAL);
    expect(ran.err).toMatch(words);
    expect([ran.code, ran.out]).toEqual([2, '']);
  });
});

test('names are accepted for a template, a registry and volumes; the price is shown before', async () => {
  const world = createTestWorld(LOCAL);
  const made = await berthIn(world, [
    ...['endpoints', 'create', 'named', '--template', 'team worker', '--registry', 'team registry'],
    ...['--gpu-pool', 'POOL-24G,POOL-48G', '--gpu-count', '2', '--workers-min', '1'],
  ]);
  expect(made.code, made.err).toBe(0);
  expect(made.err).toContain('A worker: $2.24 to $3.80/h while it runs. 1 worker always running: $2.24 to $3.80/h\n');
  const row = await berthIn(world, ['endpoints', 'get', 'named', '--json']);
  expect(JSON.parse(row.out)).toMatchObject({ image: 'registry.example/team/worker:7', registry: 'reg-team' });
});

test('the output of get can be edited and passed to create and to update', async () => {
  const world = createTestWorld(LOCAL);
  await berthIn(world, [...CREATE, ...GPU, '--env', 'A=1', '--env', 'B=2']);
  const yaml = await berthIn(world, ['endpoints', 'get', 'e', '-o', 'yaml']);
  const edited = createTestWorld({ ...LOCAL, stdin: yaml.out.replace('image: i', 'image: j') });
  const again = { ...edited, home: world.home, env: world.env };
  const updated = await berthIn(again, ['endpoints', 'update', 'e', '--file', '-', '--env', 'B=3', '--json']);
  expect(updated.code, updated.err).toBe(0);
  // A flag overrides the file, variable by variable.
  expect(JSON.parse(updated.out)).toMatchObject({ image: 'j', env: { A: '1', B: '3' }, gpu: { pools: ['POOL-24G'] } });

  const copy = createTestWorld({ ...LOCAL, stdin: yaml.out });
  const created = await berthIn({ ...copy, home: world.home, env: world.env }, [
    ...['endpoints', 'create', '--name', 'copy', '--file', '-', '--json'],
  ]);
  expect(created.code, created.err).toBe(0);
  expect(JSON.parse(created.out)).toMatchObject({ name: 'copy', image: 'i', type: 'QUEUE', env: { A: '1', B: '2' } });
});

test('update --wait waits until the release has rolled out', async () => {
  const world = createTestWorld(LOCAL);
  const created = await berthIn(world, [...CREATE, ...GPU, '--workers-min', '2', '--wait', '--json']);
  expect(created.code, created.err).toBe(0);
  const updated = await berthIn(world, ['endpoints', 'update', 'e', '--image', 'j', '--wait', '--json']);
  expect(updated.code, updated.err).toBe(0);
  // The answer to the update is printed, not what was read while waiting.
  expect(JSON.parse(updated.out)).toMatchObject({ image: 'j' });
  const releases = await berthIn(world, ['endpoints', 'releases', 'e', '--json']);
  expect(JSON.parse(releases.out)).toMatchObject({ rollout: { percentOnLatest: 100, workersTotal: 2 } });
});

test('a wait ends 9 and names the command that waits further', async () => {
  const none = { rollout: { inProgress: true, workersOnLatest: 0, workersTotal: 2, percentOnLatest: 0 }, releases: [] };
  const server = await serve([
    routed({
      'POST /v2/serverless': json({ id: 'ep1', name: 'e' }, 201),
      'GET /v2/serverless/ep1/releases': json(none),
      'GET /v2/catalog/gpus': json({ gpus: [] }),
    }),
  ]);
  const ran = await berth([...CREATE, ...GPU, '--wait', '--wait-timeout', '3s'], { env: pointedAt(server.url) });
  expect(ran.code).toBe(9);
  expect(ran.err).toContain('berth endpoints releases ep1 --wait');
  expect(ran.err).toContain('created endpoint e (ep1)');
});
