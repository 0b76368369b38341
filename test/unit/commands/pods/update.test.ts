import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { berth, berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../support/worlds/test-world.ts';

/** Runs berth on the local service of a world. */
const local = (world: TestWorld, ...argv: readonly string[]): Promise<Ran> =>
  berthIn(world, ['--local', 'pods', ...argv]);
const documentOf = ({ out }: Ran): Record<string, unknown> => JSON.parse(out) as Record<string, unknown>;

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

  test.each([
    ['pod-train', 'yaml'],
    ['pod-notebook', 'json'],
    ['pod-web', 'yaml'],
  ])('%s as %s is edited and fed back to update', async (pod, format) => {
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
  });

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
    expect((JSON.parse(out) as { readonly body: unknown }).body).toEqual({
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
