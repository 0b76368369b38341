import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { berth, berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../support/worlds/test-world.ts';
import { expectNoKeyNoStack } from '../../../support/worlds/expect-run.ts';
import { hangUp, json, pointedAt, problem, routed, serve } from '../../../support/servers/scripted-server.ts';

interface Preview {
  readonly method: string;
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The request that a command would send, from a dry run at a service that cannot be read: the ids are those given. */
async function preview(...argv: readonly string[]): Promise<Preview> {
  const server = await serve([problem(403, 'not with this key')]);
  const ran = await berth(['pods', ...argv, '--dry-run'], { env: pointedAt(server.url) });
  expectNoKeyNoStack(ran);
  expect(ran.code, ran.err).toBe(0);
  return JSON.parse(ran.out) as Preview;
}

/** Runs berth on the local service of a world. */
const local = (world: TestWorld, ...argv: readonly string[]): Promise<Ran> =>
  berthIn(world, ['--local', 'pods', ...argv]);
const documentOf = ({ out }: Ran): Record<string, unknown> => JSON.parse(out) as Record<string, unknown>;

const GPU = ['--name', 'lab', '--gpu', 'GPU-24G', '--image', 'example/a'];
const CPU = ['--name', 'lab', '--cpu', 'cpu-general', '--vcpu', '4', '--image', 'example/a'];

describe('pods create', () => {
  test.each<[readonly string[], Readonly<Record<string, unknown>>]>([
    [[], {}],
    [
      ['--gpu-count', '2', '--cuda', '12.4,12.8'],
      { gpu: { id: 'GPU-24G', count: 2, allowedCudaVersions: ['12.4', '12.8'] } },
    ],
    [['--min-cuda', '12.4'], { gpu: { id: 'GPU-24G', count: 1, minCudaVersion: '12.4' } }],
    [
      ['--cloud', 'community', '--data-center', 'A,B', '--data-center', 'C'],
      { cloud: 'COMMUNITY', dataCenterIds: ['A', 'B', 'C'] },
    ],
    [
      ['--disk', '50', '--port', '8888/http,22/tcp', '--args', '-c "x"'],
      { disk: 50, ports: ['8888/http', '22/tcp'], args: '-c "x"' },
    ],
    [['--env', 'A=1=2,3', '--env', 'B='], { env: { A: '1=2,3', B: '' } }],
    [['--registry', 'reg', '--template', 't1'], { registry: 'reg', templateId: 't1', disk: undefined }],
    [
      ['--min-ram-per-gpu', '30', '--min-vcpu-per-gpu', '8'],
      { gpu: { id: 'GPU-24G', count: 1, minRamPerGpu: 30, minVcpuCountPerGpu: 8 } },
    ],
    [['--network-volume', 'v1'], { mounts: { network: [{ volumeId: 'v1', path: '/workspace' }] } }],
    [['--network-volume', 'v:1:/data'], { mounts: { network: [{ volumeId: 'v:1', path: '/data' }] } }],
    [['--mount-path', '/m', '--network-volume', 'v1'], { mounts: { network: [{ volumeId: 'v1', path: '/m' }] } }],
    [['--persistent-size', '20'], { mounts: { persistent: { size: 20, path: '/workspace' } } }],
    [['--persistent-size', '20', '--mount-path', '/m'], { mounts: { persistent: { size: 20, path: '/m' } } }],
    [
      ['--start-ssh', '--start-jupyter', '--global-networking'],
      { startSsh: true, startJupyter: true, globalNetworking: true, ports: ['22/tcp'] },
    ],
    [
      ['--set', 'gpu.count=4', '--set', 'anything.new=[1]'],
      { gpu: { id: 'GPU-24G', count: 4 }, anything: { new: [1] } },
    ],
    [['--set', 'name=lab'], { name: 'lab' }],
  ])('%j', async (flags, members) => {
    const { method, url, body } = await preview('create', ...GPU, ...flags);
    expect([method, new URL(url).pathname]).toEqual(['POST', '/v2/pods']);
    expect(body).toEqual({ name: 'lab', gpu: { id: 'GPU-24G', count: 1 }, image: 'example/a', disk: 20, ...members });
  });

  test.each([
    [['--mount-path', '/m'], /--mount-path needs something to mount/],
    [['--network-volume', 'v:/x,w:/y'], /mounts at most one network volume, not "v:\/x,w:\/y"/],
    [['--network-volume', 'v,w'], /mounts at most one network volume/],
    [['--network-volume', 'v', '--persistent-size', '20'], /use either --network-volume or --persistent-size/],
    [['--cpu', 'cpu-general', '--vcpu', '2'], /use either --gpu or --cpu/],
    [['--disk', '0'], /--disk is at least 1/],
    [['--min-ram-per-gpu', '0'], /--min-ram-per-gpu is at least 1/],
    [['--set', 'gpu.minVcpuCountPerGpu=1.5'], /--min-vcpu-per-gpu is a whole number of at least 1/],
    [['--persistent-size', '5'], /--persistent-size is a whole number of at least 10 GB/],
    [['--env', 'A'], /--env takes NAME=VALUE/],
    [['--env', 'A=1', '--env', 'B=2', '--env', 'A=1'], /--env gives A twice/],
    [['--set', 'disk=20', '--set', 'disk=30'], /--set disk and --set disk give the same/],
    [['--set', 'env.A=1', '--set', 'env={"A":"2"}'], /--set env and --set env\.A give the same/],
    [['--set', 'env={"A":"1"}', '--set', 'env.A=2'], /--set env\.A and --set env give the same/],
    [['--network-volume', ':/x'], /--network-volume is empty/],
  ])('refuses %j before anything is sent', async (flags, says) => {
    const { code, err } = await berth(['--local', 'pods', 'create', ...GPU, ...flags]);
    expect(code).toBe(2);
    expect(err).toMatch(says);
  });

  it('refuses an empty name before anything is sent', async () => {
    const { code, err } = await berth(['--local', 'pods', 'create', '--gpu', 'GPU-24G', '--image', 'i', '--name', '']);
    expect([code, err]).toEqual([2, expect.stringMatching(/--name is empty/) as string]);
  });

  it('names the missing flags', async () => {
    const { code, err } = await berth(['--local', 'pods', 'create']);
    expect(code).toBe(2);
    expect(err).toContain('missing --name and --gpu or --cpu and --image or --template');
  });

  it('shows the price, creates, waits and prints the id', async () => {
    const ran = await berth([
      '--local',
      'pods',
      'create',
      ...GPU,
      '--gpu-count',
      '2',
      '--cloud',
      'COMMUNITY',
      '--wait',
    ]);
    expect([ran.code, ran.out]).toEqual([0, 'pod-000001\n']);
    expect(ran.err).toBe('GPU-24G x2, COMMUNITY: $0.68/h\ncreated pod lab (pod-000001)\npod lab is reachable\n');
  });

  it('shows the price of a CPU pod by its vCPUs', async () => {
    const ran = await berth(['--local', 'pods', 'create', ...CPU]);
    expect(ran.err).toContain('cpu-general, 4 vCPU: $0.12/h\n');
  });

  it('creates the pod even if the catalog cannot be read', async () => {
    const server = await serve([
      routed({
        'GET /v2/catalog/gpus': problem(403, 'access denied'),
        'POST /v2/pods': json({ id: 'p1', status: 'PROVISIONING' }, 201),
      }),
    ]);
    const ran = await berth(['pods', 'create', ...GPU, '-o', 'id'], { env: pointedAt(server.url) });
    expect([ran.code, ran.out]).toEqual([0, 'p1\n']);
  });

  it('names the list command after a lost answer', async () => {
    const server = await serve([routed({ 'POST /v2/pods': hangUp })]);
    const ran = await berth(['pods', 'create', ...GPU], { env: pointedAt(server.url) });
    expectNoKeyNoStack(ran);
    expect(ran.code).toBe(8);
    expect(ran.err).toContain('berth pods list');
    expect(server.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('accepts names of a template, a registry and a volume', async () => {
    const world = createTestWorld();
    const ran = await local(world, 'create', ...CPU, '--network-volume', 'datasets:/d', '--json');
    expect(ran.code, ran.err).toBe(0);
    expect(documentOf(ran)['mounts']).toEqual({ network: [{ volumeId: 'vol-datasets', path: '/d' }] });
  });
});

describe('pods update', () => {
  test.each<[string, readonly string[], Readonly<Record<string, unknown>>]>([
    ['pod-web', ['--name', 'other', '--locked', 'off'], { name: 'other', locked: false }],
    ['pod-web', ['--env', 'A=1'], { env: { A: '1' } }],
    [
      'pod-web',
      ['--port', '80/http', '--disk', '40', '--image', 'x/y'],
      { ports: ['80/http'], disk: 40, image: 'x/y' },
    ],
    ['pod-train', ['--mount-path', '/new'], { mounts: { network: [{ volumeId: 'vol-datasets', path: '/new' }] } }],
    ['pod-notebook', ['--mount-path', '/new'], { mounts: { persistent: { size: 100, path: '/new' } } }],
    ['pod-notebook', ['--persistent-size', '200'], { mounts: { persistent: { size: 200, path: '/workspace' } } }],
    ['train-llm', ['--name', 'by-name'], { id: 'pod-train', name: 'by-name' }],
  ])('%s %j', async (pod, flags, changed) => {
    const ran = await berth(['--local', 'pods', 'update', pod, ...flags, '--yes', '--json']);
    expect(ran.code, ran.err).toBe(0);
    expect(documentOf(ran)).toMatchObject(changed);
  });

  test.each([
    ['pod-web', [], /nothing to change/],
    ['pod-web', ['--mount-path', '/x'], /--mount-path: this pod has no mount/],
    ['pod-notebook', ['--set', 'mounts.persistent={"size":5,"path":"/x"}'], /at least 10 GB/],
  ])('refuses %s %j', async (pod, flags, says) => {
    const { code, err } = await berth(['--local', 'pods', 'update', pod, ...flags]);
    expect(code).toBe(2);
    expect(err).toMatch(says);
  });
});

describe('the output of pods get', () => {
  const PODS = ['pod-train', 'pod-notebook', 'pod-web'];

  test.each(PODS.flatMap((pod) => ['yaml', 'json'].map((format) => [pod, format] as const)))(
    '%s as %s is edited and fed back to update',
    async (pod, format) => {
      const world = createTestWorld();
      const printed = await local(world, 'get', pod, '-o', format);
      const file = join(world.directory, 'pod');
      writeFileSync(file, printed.out.replace(/disk("?): \d+/, 'disk$1: 77'));
      const before = documentOf(await local(world, 'get', pod, '--json'));
      const ran = await local(world, 'update', pod, '--file', 'pod', '--yes', '--json');
      expect(ran.code, ran.err).toBe(0);
      expect(ran.err).toMatch(/^Left out of --file, read-only: id, status, actions/);
      // Another disk restarts the container.
      const { runtime: _now, startedAt: _after, ...after } = documentOf(ran);
      const { runtime: _then, startedAt: _before, ...same } = before;
      const ssh = { proxy: null, direct: null };
      expect(after).toEqual({ ...same, disk: 77, status: 'STARTING', actions: ['stop', 'terminate'], ssh });
    },
  );

  test.each(PODS)('%s is fed back to create, with flags over it', async (pod) => {
    const world = createTestWorld();
    const printed = await local(world, 'get', pod, '-o', 'yaml');
    writeFileSync(join(world.directory, 'pod.yaml'), printed.out);
    const ran = await local(world, 'create', '--file', 'pod.yaml', '--name', 'twin', '--env', 'TWIN=1', '--json');
    expect(ran.code, ran.err).toBe(0);
    const before = documentOf(await local(world, 'get', pod, '--json'));
    const twin = documentOf(ran);
    for (const kept of ['image', 'args', 'disk', 'ports', 'registry', 'mounts', 'gpu', 'cpu', 'cloud', 'dataCenterId'])
      expect(twin[kept], kept).toEqual(before[kept]);
    expect(twin).toMatchObject({ name: 'twin', status: 'PROVISIONING', locked: false });
    expect(twin['env']).toEqual({ ...(before['env'] as object), TWIN: '1' });
    expect((twin['globalNetworking'] as Record<string, unknown>)['enabled']).toBe(pod === 'pod-train');
  });

  it('is accepted from stdin too, and its null members are not sent', async () => {
    const document = {
      id: 'p',
      name: 'n',
      image: 'a',
      gpu: null,
      cpu: { id: 'cpu-general', vcpuCount: 2, memory: 4 },
      registry: null,
      mounts: {},
      dataCenterId: null,
    };
    const { code, out, err } = await berth(['--local', 'pods', 'create', '-f', '-', '--dry-run'], {
      stdin: JSON.stringify(document),
    });
    expect(code, err).toBe(0);
    expect((JSON.parse(out) as Preview).body).toEqual({
      name: 'n',
      image: 'a',
      cpu: { id: 'cpu-general', vcpuCount: 2 },
      registry: null,
      mounts: {},
      disk: 20,
    });
    expect(err).toContain('id, cpu.memory');
  });
});
