import { describe, expect, it } from 'vitest';
import { berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, KEYS, type TestWorld } from '../../../support/worlds/test-world.ts';

const local = (world: TestWorld, ...argv: readonly string[]): Promise<Ran> =>
  berthIn(world, ['--local', 'pods', ...argv]);

const answering =
  (world: TestWorld) =>
  async (question: string, ...keys: readonly string[]): Promise<void> => {
    while (!world.err().includes(question)) await new Promise(setImmediate);
    await world.type(...keys);
  };

describe('pods create on a terminal', () => {
  it('asks for missing values, with choices from the lists of the service', async () => {
    const world = createTestWorld({ tty: true, columns: 120 });
    const running = local(world, 'create');
    const answer = answering(world);
    await answer('Name', 'lab', KEYS.enter);
    await answer('One of these is needed', KEYS.enter);
    await answer('GPU type', KEYS.down, KEYS.enter);
    await answer('--template: ', KEYS.enter);
    await answer('Image', 'a/b', KEYS.enter);
    await answer('Data center', KEYS.down, KEYS.enter);
    await answer('Network volume', KEYS.down, KEYS.enter);
    await answer("SSH with the account's keys?", KEYS.enter);
    await answer('Ports to publish', '22', KEYS.enter);
    await answer('22 is not PORT/http or PORT/tcp', '/tcp,8888/http', KEYS.enter);
    const { code } = await running;
    expect(code).toBe(0);
    expect(world.err().replace(/\s+/g, ' ')).toContain(
      'Without questions: berth pods create --name lab --image a/b --port 22/tcp,8888/http --gpu GPU-24G --data-center EU-NORTH-1 --start-ssh --network-volume vol-datasets:/workspace',
    );
    expect(world.err()).toMatch(/Next: berth pods wait (\S+), then berth pods ssh \1\n/);
    expect(world.err()).toMatch(/GPU-24G {2}24 GB {2}\$0\.69\/hr {2}(HIGH|MEDIUM|LOW)/);
    const { out } = await local(world, 'get', 'lab', '--json');
    expect(JSON.parse(out)).toMatchObject({
      gpu: { id: 'GPU-24G', count: 1 },
      image: 'a/b',
      ports: ['22/tcp', '8888/http'],
      dataCenterId: 'EU-NORTH-1',
      mounts: { network: [{ volumeId: 'vol-datasets', path: '/workspace' }] },
    });
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
    const ran = await berth(['--local', 'pods', 'update', pod, ...flags, '--json']);
    expect(ran.code, ran.err).toBe(0);
    expect(documentOf(ran)).toMatchObject(changed);
  });

  test.each([
    ['pod-web', [], /nothing to change/],
    ['pod-web', ['--mount-path', '/x'], /--mount-path: this pod has no mount/],
    [
      'pod-web',
      ['--set', 'mounts={"persistent":{"size":20,"path":"/x"}}'],
      /this pod has no mount, and the kind is fixed/,
    ],
    ['pod-train', ['--set', 'mounts={"persistent":{"size":20,"path":"/x"}}'], /this pod has a network mount/],
    ['pod-train', ['--set', 'mounts.network=[]'], /cannot be cleared/],
    [
      'pod-train',
      ['--set', 'mounts.network=[{"volumeId":"vol-checkpoints","path":"/x"}]'],
      /this pod has vol-datasets/,
    ],
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
      const ran = await local(world, 'update', pod, '--file', 'pod', '--json');
      expect(ran.code, ran.err).toBe(0);
      expect(ran.err).toMatch(/^Left out, because it cannot be written: id, status, actions/);
      const { runtime: _now, ...after } = documentOf(ran);
      const { runtime: _then, ...same } = before;
      expect(after).toEqual({ ...same, disk: 77 });
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
      cpu: { id: 'C', vcpuCount: 2, memory: 4 },
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
      cpu: { id: 'C', vcpuCount: 2 },
      registry: null,
      mounts: {},
    });
    expect(err).toContain('id, cpu.memory');
  });

  it('asks for the vCPUs of a CPU pod, and leaves values of variables out of the command line', async () => {
    const world = createTestWorld({ tty: true, columns: 120 });
    const running = local(world, 'create', '--image', 'a/b', '--env', 'TOKEN=hidden-value', '--args', '--epochs 3');
    const answer = answering(world);
    await answer('Name', 'web', KEYS.enter);
    await answer('One of these is needed', KEYS.down, KEYS.enter);
    await answer('CPU flavor', KEYS.enter);
    await answer('vCPUs', '3', KEYS.enter);
    await answer('is a power of two', '\u007f', '4', KEYS.enter);
    await answer('Data center', KEYS.enter);
    await answer("SSH with the account's keys?", 'n', KEYS.enter);
    await answer('Ports to publish', KEYS.enter);
    expect((await running).code, world.err()).toBe(0);
    expect(world.err().replace(/\s+/g, ' ')).toContain(
      "Without questions: berth pods create --name web --image a/b --args '--epochs 3' --cpu cpu-general --vcpu 4 --env TOKEN=...",
    );
    expect(world.err()).not.toContain('hidden-value');
    expect(world.err()).toMatch(/Next: berth pods wait (\S+), then berth pods logs \1 --follow\n/);
  });
});
