import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { json, pointedAt, serve, type ScriptedServer } from '../../../support/servers/scripted-server.ts';
import { answer } from '../../../support/worlds/answer-question.ts';
import { berth, berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, KEYS, type TestWorld } from '../../../support/worlds/test-world.ts';

/** Runs berth on the local service of a world. */
const local = (world: TestWorld, ...argv: readonly string[]): Promise<Ran> =>
  berthIn(world, ['--local', 'pods', ...argv]);
const documentOf = ({ out }: Ran): Record<string, unknown> => JSON.parse(out) as Record<string, unknown>;

test.each<[string, readonly string[], Readonly<Record<string, unknown>>]>([
  ['pod-web', ['--name', 'other', '--locked', 'off'], { name: 'other', locked: false }],
  ['pod-web', ['--port', '80/http', '--disk', '40', '--image', 'x/y'], { ports: ['80/http'], disk: 40, image: 'x/y' }],
  ['pod-train', ['--mount-path', '/new'], { mounts: { network: [{ volumeId: 'vol-datasets', path: '/new' }] } }],
  ['pod-notebook', ['--mount-path', '/new'], { mounts: { persistent: { size: 100, path: '/new' } } }],
  ['pod-notebook', ['--persistent-size', '200'], { mounts: { persistent: { size: 200, path: '/workspace' } } }],
  ['train-llm', ['--name', 'by-name'], { id: 'pod-train', name: 'by-name' }],
])('pods update %s %j', async (pod, flags, changed) => {
  const ran = await berth(['--local', 'pods', 'update', pod, ...flags, '--yes', '--json']);
  expect(ran.code, ran.err).toBe(0);
  expect(documentOf(ran)).toMatchObject(changed);
});

test.each([
  [[], /nothing to change/],
  [['--mount-path', '/x'], /--mount-path: this pod has no mount/],
])('pods update refuses %j', async (flags, says) => {
  const { code, err } = await berth(['--local', 'pods', 'update', 'pod-web', ...flags]);
  expect([code, err]).toEqual([2, expect.stringMatching(says)]);
});

const pod = (more = {}) => ({
  ...{ id: 'pod-1', name: 'lab', status: 'RUNNING', image: 'example/web:1', args: '', disk: 20 },
  ...{ ports: ['22/tcp', '80/http'], env: { A: '1', DEBUG: 'yes' }, registry: null, locked: false },
  mounts: { network: [{ volumeId: 'v1', path: '/data' }] },
  ...more,
});

/** The body of the PATCH; undefined when none was sent. */
const patched = (server: ScriptedServer): unknown => {
  const request = server.seen.find(({ method }) => method === 'PATCH');
  return request === undefined ? undefined : JSON.parse(request.body.toString());
};

async function update(flags: readonly string[], row: unknown = pod()) {
  const server = await serve([json(row), json(row)]);
  const ran = await berth(['pods', 'update', 'pod-1', ...flags], { env: pointedAt(server.url) });
  return { ran, server, env: (patched(server) as { env?: unknown } | undefined)?.env };
}

describe('the variables of an update', () => {
  test.each<[readonly string[], unknown, string]>([
    [['--env', 'B=2'], { A: '1', DEBUG: 'yes', B: '2' }, ''],
    [['--env', 'A=2'], { A: '2', DEBUG: 'yes' }, ''],
    [['--unset-env', 'DEBUG,A'], {}, 'These variables go away: A, DEBUG.'],
    [['--env', 'B=2', '--replace-env'], { B: '2' }, 'These variables go away: A, DEBUG.'],
    [['--set', 'env.B="2"'], { A: '1', DEBUG: 'yes', B: '2' }, ''],
  ])('%j', async (flags, env, said) => {
    const { ran, env: sent } = await update([...flags, '--yes']);
    expect([ran.code, sent, ran.err]).toEqual([0, env, expect.stringContaining(said)]);
  });

  test('a file with variables has all of them, and one without leaves them', async () => {
    const path = join(temporaryDirectory(), 'pod.yaml');
    writeFileSync(path, 'env: {C: "3"}\n');
    const whole = await update(['--file', path, '--yes']);
    expect([whole.env, whole.ran.err]).toEqual([{ C: '3' }, expect.stringContaining('go away: A, DEBUG')]);
    writeFileSync(path, 'disk: 30\n');
    expect((await update(['--file', path, '--env', 'C=3', '--yes'])).env).toEqual({ A: '1', DEBUG: 'yes', C: '3' });
  });
});

describe('a change that restarts a running pod', () => {
  test.each([
    ['image', ['--image', 'example/web:2']],
    ['args', ['--args', 'serve']],
    ['env', ['--env', 'B=2']],
    ['ports', ['--port', '81/http']],
    ['disk', ['--disk', '30']],
    ['registry', ['--registry', 'r1']],
    ['mounts', ['--mount-path', '/other']],
    ['templateId', ['--template', 't1']],
  ])('of %s is said and needs --yes without a terminal', async (member, flags) => {
    const { ran, server } = await update(flags);
    expect([ran.code, ran.out, patched(server)]).toEqual([2, '', undefined]);
    expect(ran.err).toContain(`pod lab (pod-1) restarts (${member}): container disk erased, volumes kept.`);
  });

  test.each([
    ['it has the value already', ['--image', 'example/web:1', '--port', '80/http,22/tcp'], {}],
    ['only its name changes', ['--name', 'other'], {}],
    ['it does not run', ['--image', 'example/web:2'], { status: 'EXITED' }],
  ])('is not said where %s', async (_, flags, more) => {
    const { ran } = await update(flags, pod(more));
    expect([ran.code, ran.err]).toEqual([0, 'updated pod lab\n']);
  });

  test('is asked about on a terminal, and the answer no changes nothing', async () => {
    const server = await serve([json(pod()), json(pod())]);
    const world = createTestWorld({ tty: true, env: pointedAt(server.url) });
    const running = berthIn(world, ['pods', 'update', 'pod-1', '--image', 'example/web:2']);
    await answer(world, 'Continue', KEYS.enter);
    expect([(await running).code, patched(server)]).toEqual([2, undefined]);
  });
});

describe('the output of pods get', () => {
  test.each([
    ['pod-train', 'yaml'],
    ['pod-notebook', 'json'],
  ])('%s as %s is edited and fed back to update', async (id, format) => {
    const world = createTestWorld();
    const printed = await local(world, 'get', id, '-o', format);
    writeFileSync(join(world.directory, 'pod'), printed.out.replace(/disk("?): \d+/, 'disk$1: 77'));
    const before = documentOf(await local(world, 'get', id, '--json'));
    const ran = await local(world, 'update', id, '--file', 'pod', '--yes', '--json');
    expect(ran.code, ran.err).toBe(0);
    // Another disk restarts the container.
    const { runtime: _now, startedAt: _after, ...after } = documentOf(ran);
    const { runtime: _then, startedAt: _before, ...same } = before;
    const ssh = { proxy: null, direct: null };
    expect(after).toEqual({ ...same, disk: 77, status: 'STARTING', actions: ['stop', 'terminate'], ssh });
  });

  test.each(['pod-train', 'pod-notebook', 'pod-web'])('%s is fed back to create, with flags over it', async (id) => {
    const world = createTestWorld();
    const printed = await local(world, 'get', id, '-o', 'yaml');
    writeFileSync(join(world.directory, 'pod.yaml'), printed.out);
    const ran = await local(world, 'create', '--file', 'pod.yaml', '--name', 'twin', '--env', 'TWIN=1', '--json');
    expect(ran.code, ran.err).toBe(0);
    const before = documentOf(await local(world, 'get', id, '--json'));
    const twin = documentOf(ran);
    for (const kept of ['image', 'args', 'disk', 'ports', 'registry', 'mounts', 'gpu', 'cpu', 'cloud', 'dataCenterId'])
      expect(twin[kept], kept).toEqual(before[kept]);
    expect(twin).toMatchObject({ name: 'twin', status: 'PROVISIONING', locked: false });
    expect(twin['env']).toEqual({ ...(before['env'] as object), TWIN: '1' });
    expect((twin['globalNetworking'] as Record<string, unknown>)['enabled']).toBe(id === 'pod-train');
  });

  it('is accepted from stdin too, and its null members are not sent', async () => {
    const kept = { name: 'n', image: 'a', registry: null, mounts: {} };
    const cpu = { id: 'cpu-general', vcpuCount: 2 };
    const stdin = JSON.stringify({ id: 'p', ...kept, gpu: null, cpu: { ...cpu, memory: 4 }, dataCenterId: null });
    const { code, out, err } = await berth(['--local', 'pods', 'create', '-f', '-', '--dry-run'], { stdin });
    expect(code, err).toBe(0);
    expect((JSON.parse(out) as { readonly body: unknown }).body).toEqual({ ...kept, cpu, disk: 20 });
  });
});
