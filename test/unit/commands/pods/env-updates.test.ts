import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { json, pointedAt, serve, type ScriptedServer } from '../../../support/servers/scripted-server.ts';
import { answer } from '../../../support/worlds/answer-question.ts';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, KEYS } from '../../../support/worlds/test-world.ts';

const pod = (more = {}) => ({
  id: 'pod-1',
  name: 'lab',
  status: 'RUNNING',
  image: 'example/web:1',
  args: '',
  disk: 20,
  ports: ['22/tcp', '80/http'],
  env: { A: '1', DEBUG: 'yes' },
  registry: null,
  mounts: { network: [{ volumeId: 'v1', path: '/data' }] },
  locked: false,
  ...more,
});

/** The body of the PATCH; undefined when none was sent. */
const patched = (server: ScriptedServer): unknown => {
  const request = server.seen.find(({ method }) => method === 'PATCH');
  return request === undefined ? undefined : JSON.parse(request.body.toString());
};

async function update(flags: readonly string[], row: unknown = pod(), argv = ['pods', 'update', 'pod-1']) {
  const server = await serve([json(row), json(row)]);
  const ran = await berth([...argv, ...flags], { env: pointedAt(server.url) });
  return { ran, server, env: (patched(server) as { env?: unknown } | undefined)?.env };
}

describe('the variables of an update', () => {
  test.each<[string, readonly string[], unknown, string]>([
    ['--env adds one', ['--env', 'B=2'], { A: '1', DEBUG: 'yes', B: '2' }, ''],
    ['--env changes one', ['--env', 'A=2'], { A: '2', DEBUG: 'yes' }, ''],
    ['--unset-env takes some away', ['--unset-env', 'DEBUG,A'], {}, 'These variables go away: A, DEBUG.'],
    ['--unset-env of no variable', ['--unset-env', 'X', '--env', 'A=2'], { A: '2', DEBUG: 'yes' }, ''],
    ['--replace-env', ['--env', 'B=2', '--replace-env'], { B: '2' }, 'These variables go away: A, DEBUG.'],
    ['--set of one', ['--set', 'env.B="2"'], { A: '1', DEBUG: 'yes', B: '2' }, ''],
    [
      'names of objects',
      ['--env', '__proto__=1', '--env', 'constructor=2'],
      { A: '1', DEBUG: 'yes', ['__proto__']: '1', constructor: '2' },
      '',
    ],
  ])('%s', async (_, flags, env, said) => {
    const { ran, env: sent } = await update([...flags, '--yes']);
    expect(ran.code, ran.err).toBe(0);
    expect(JSON.stringify(sent)).toBe(JSON.stringify(env));
    expect(ran.err).toContain(said);
  });

  test('a file with variables has all of them, and one without leaves them', async () => {
    const path = join(temporaryDirectory(), 'pod.yaml');
    writeFileSync(path, 'env: {C: "3"}\n');
    const whole = await update(['--file', path, '--yes']);
    expect([whole.env, whole.ran.err]).toEqual([{ C: '3' }, expect.stringContaining('go away: A, DEBUG')]);
    writeFileSync(path, 'disk: 30\n');
    expect((await update(['--file', path, '--env', 'C=3', '--yes'])).env).toEqual({ A: '1', DEBUG: 'yes', C: '3' });
  });

  test('a pod that cannot be read is not changed', async () => {
    const server = await serve([json({ title: 'no', status: 403, detail: 'no' }, 403)]);
    const ran = await berth(['pods', 'update', 'pod-1', '--env', 'A=1', '--yes'], { env: pointedAt(server.url) });
    expect([ran.code, patched(server)]).toEqual([3, undefined]);
  });
});

describe('a change that restarts a running pod', () => {
  const CHANGES: readonly (readonly [string, readonly string[]])[] = [
    ['image', ['--image', 'example/web:2']],
    ['args', ['--args', 'serve']],
    ['env', ['--env', 'B=2']],
    ['ports', ['--port', '81/http']],
    ['disk', ['--disk', '30']],
    ['registry', ['--registry', 'r1']],
    ['mounts', ['--mount-path', '/other']],
    ['templateId', ['--template', 't1']],
  ];

  test.each(CHANGES)('of %s is said and needs --yes without a terminal', async (member, flags) => {
    const { ran, server } = await update(flags);
    expect([ran.code, ran.out, patched(server)]).toEqual([2, '', undefined]);
    expect(ran.err).toContain(`pod lab (pod-1) restarts (${member}): container disk erased, volumes kept.`);
  });

  test.each([
    ['it has the value already', ['--image', 'example/web:1', '--port', '80/http,22/tcp'], {}],
    ['only its name changes', ['--name', 'other'], {}],
    ['it is locked', ['--locked', 'on'], {}],
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
