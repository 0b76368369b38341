import { expect, test } from 'vitest';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';
import { json } from '../../../support/servers/scripted-server.ts';
import { works } from '../../../support/worlds/expect-run.ts';

/** Every member of the published Endpoint, and two unknown ones. */
const FULL = {
  id: 'ep1',
  name: 'pictures',
  type: 'QUEUE',
  image: 'example/pictures:3',
  args: '--fast',
  disk: 40,
  ports: ['8000/http'],
  env: { MODE: 'fast' },
  registry: 'reg-1',
  requestUrls: { run: 'https://queue.test/v2/ep1/run', purgeQueue: 'https://queue.test/v2/ep1/purge-queue' },
  gpu: {
    pools: ['POOL-24G', 'POOL-48G'],
    excludedTypes: ['GPU-OLD'],
    count: 2,
    allowedCudaVersions: [],
    minCudaVersion: '12.4',
    later: true,
  },
  workers: { min: 1, max: 5, idleTimeout: 90 },
  scaling: { type: 'QUEUE_DELAY', queueDelay: 2.5 },
  dataCenterIds: ['EU-1', 'US-1'],
  networkVolumes: ['vol-1'],
  timeout: 600000,
  flashboot: 'FLASHBOOT',
  createdAt: '2025-12-31T00:00:00Z',
  region: 'north',
};

test('the detail view shows every member, unknown ones included', async () => {
  const { out } = await works(['endpoints', 'get', 'ep1'], [json(FULL)]);
  const lines = new Map(
    out
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t') as [string, string]),
  );
  expect(Object.fromEntries(lines)).toMatchObject({
    id: 'ep1',
    name: 'pictures',
    type: 'QUEUE',
    created: '2025-12-31T00:00:00Z (1d ago)',
    flashboot: 'FLASHBOOT',
    'execution timeout': '10m',
    'workers count': '1 to 5',
    'workers idle timeout': '1m30s',
    'workers scaling': '2.5 s delay',
    'hardware excluded types': 'GPU-OLD',
    'hardware gpus a worker': '2',
    'hardware cuda': '12.4 or newer',
    'places network volumes': 'vol-1',
    'container image': 'example/pictures:3',
    'container cmd': '--fast',
    'container disk': '40 GB',
    'container registry': 'reg-1',
    'container ports': '8000/http',
    'container env': 'MODE=fast',
    'requests run': 'https://queue.test/v2/ep1/run',
    'requests purge queue': 'https://queue.test/v2/ep1/purge-queue',
    'other region': 'north',
    'other gpu.later': 'true',
  });
  // A list has one line for each item.
  expect(out).toContain('hardware gpu pools\tPOOL-24G\nhardware gpu pools\tPOOL-48G\n');
  expect(out).toContain('places data centers\tEU-1\nplaces data centers\tUS-1\n');
});

const RELEASES = {
  endpointVersion: 3,
  rollout: { inProgress: true, workersOnLatest: 1, workersTotal: 4, percentOnLatest: 25 },
  releases: [
    {
      id: 'rel-3',
      version: 3,
      source: 'MANUAL',
      buildId: null,
      createdByUserId: 'ann',
      createdAt: '2025-12-31T23:50:00Z',
      workerCount: 1,
      diff: [
        { field: 'image', old: 'a:1', new: 'a:2' },
        { field: 'env', old: { A: '1' }, new: null },
      ],
    },
    { id: 'rel-2', version: 2, source: 'GIT_BUILD', buildId: 'b7', createdAt: 'soon', workerCount: 3, diff: [] },
  ],
};

test('releases shows the rollout as a percentage, and the changes of each release field by field', async () => {
  const { out } = await works(['endpoints', 'releases', 'ep1'], [json(RELEASES)]);
  expect(out.split('\n')).toEqual([
    'rollout version\t3',
    'rollout on it\t25%',
    'rollout workers\t1 of 4, in progress',
    'release 3 source\tMANUAL',
    'release 3 age\t10m',
    'release 3 workers\t1',
    'release 3 by\tann',
    'release 3 image\ta:1 -> a:2',
    'release 3 env\t{"A":"1"} -> (none)',
    'release 2 source\tGIT_BUILD',
    'release 2 age\tsoon',
    'release 2 workers\t3',
    'release 2 build\tb7',
    '',
  ]);
});

test('releases shows a bar on a terminal, and the newest release with -o id', async () => {
  const drawn = await works(['endpoints', 'releases', 'ep1'], [json(RELEASES)], { tty: true, columns: 100 });
  expect(drawn.out).toMatch(/on it.*██.*░{6}.* 25%/);
  expect((await works(['endpoints', 'releases', 'ep1', '-o', 'id'], [json(RELEASES)])).out).toBe('rel-3\n');
});

test('releases --wait polls until every worker runs the newest release', async () => {
  const at = (percentOnLatest: number) => json({ ...RELEASES, rollout: { ...RELEASES.rollout, percentOnLatest } });
  const { server, out } = await works(
    ['endpoints', 'releases', 'ep1', '--wait'],
    [at(25), at(25), at(50), at(75), at(100)],
  );
  expect(server.seen).toHaveLength(5);
  expect(out).toContain('rollout on it\t100%');
});

const WORKERS = {
  endpointVersion: 3,
  summary: { running: 1, idle: 0, initializing: 0, throttled: 1, unhealthy: 0, total: 2 },
  workers: [
    {
      id: 'w1',
      status: 'RUNNING',
      isStale: true,
      version: 2,
      gpuCount: 2,
      gpuTypeId: 'GPU-24G',
      dataCenterId: 'EU-1',
      uptimeSeconds: 200,
      startedAt: '2025-12-31T23:56:40Z',
      image: 'a:1',
    },
    { id: 'w2', status: 'THROTTLED', isStale: false, version: null, gpuCount: 0 },
  ],
};

test('workers shows the release of each worker, and marks stale ones', async () => {
  const ran = await works(['endpoints', 'workers', 'ep1'], [json(WORKERS)]);
  expect(ran.out.split('\n')).toEqual([
    'ID\tSTATUS\tSTALE\tVERSION\tGPU\tDATA CENTER\tUPTIME',
    'w1\tRUNNING\tyes\t2\tGPU-24G x2\tEU-1\t3m20s',
    'w2\tTHROTTLED\tno\t-\t-\t-\t-',
    '',
  ]);
  const array = await works(['endpoints', 'workers', 'ep1', '--json'], [json(WORKERS)]);
  expect(JSON.parse(array.out)).toEqual(WORKERS.workers);
});

test('on the local service an endpoint is created, runs a job, is updated, rolls out and is deleted', async () => {
  const world = createTestWorld({ env: { BERTH_LOCAL: '1' } });
  const run = async (...argv: readonly string[]): Promise<unknown> => {
    const ran = await berthIn(world, [...argv, '--json']);
    expect(ran.code, ran.err).toBe(0);
    return ran.out === '' ? undefined : JSON.parse(ran.out);
  };
  const template = (await run('templates', 'create', '--name', 't', '--image', 'a:1', '--serverless')) as {
    id: string;
  };
  await run('endpoints', 'create', '--name', 'e', '--template', 't', '--gpu-pool', 'POOL-24G', '--workers-min', '1');
  expect(await run('jobs', 'run', 'e', '--input', '{"n":1}', '--wait')).toMatchObject({ status: 'COMPLETED' });
  await run('endpoints', 'update', 'e', '--image', 'a:2', '--wait');
  expect(await run('endpoints', 'releases', 'e')).toMatchObject({
    endpointVersion: 2,
    releases: [{ version: 2, diff: [{ field: 'image', old: 'a:1', new: 'a:2' }] }, { version: 1 }],
  });
  const [worker] = (await run('endpoints', 'workers', 'e')) as readonly { id: string; isStale: boolean }[];
  expect(worker).toMatchObject({ isStale: false });
  expect(await run('endpoints', 'logs', 'e', worker?.id ?? '', '--source', 'system')).not.toEqual([]);
  await run('endpoints', 'delete', 'e', '--yes');
  await run('templates', 'delete', template.id, '--yes');
});
