import { describe, expect, test } from 'vitest';
import { said } from '../../../support/worlds/answer-question.ts';
import { berth, berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, KEYS, type TestWorldOptions } from '../../../support/worlds/test-world.ts';
import { json, pointedAt, serve, type ScriptedServer } from '../../../support/servers/scripted-server.ts';

const PASSWORD = 'pass word of a registry';
const CREATE = ['registries', 'create', '--name', 'hub', '--username', 'me'];

/** Runs with --verbose against a service that accepts everything. The password must not be in any output. */
async function creating(
  argv: readonly string[],
  options: TestWorldOptions = {},
): Promise<{ readonly ran: Ran; readonly server: ScriptedServer }> {
  const server = await serve([json({ id: 'reg1', name: 'hub' }, 201)]);
  const ran = await berth([...argv, '--verbose'], { ...options, env: pointedAt(server.url) });
  expect(ran.out + ran.err).not.toContain(PASSWORD);
  return { ran, server };
}

const sent = (server: ScriptedServer): unknown => JSON.parse(server.seen[0]?.body.toString() ?? 'null');

describe('the password', () => {
  test('is asked for on a terminal and shown as stars', async () => {
    const server = await serve([json({ id: 'reg1', name: 'hub' }, 201)]);
    const world = createTestWorld({ tty: true, env: pointedAt(server.url) });
    const running = berthIn(world, CREATE);
    await said(world, 'Password or token');
    for (const key of [PASSWORD, KEYS.enter]) await world.type(key);
    const ran = await running;
    expect(ran.code, ran.err).toBe(0);
    expect(sent(server)).toMatchObject({ password: PASSWORD });
    expect(ran.err).toContain('***');
    expect(ran.out + ran.err).not.toContain(PASSWORD);
  });

  test.each<[string, readonly string[], TestWorldOptions]>([
    ['without one', CREATE, {}],
    ['with one from a file', [...CREATE, '--file', '-'], { stdin: `password: ${PASSWORD}` }],
  ])('is shown as stars in a dry run, %s; stdin is not read for it', async (_, argv, options) => {
    const ran = await berth([...argv, '--dry-run'], { ...options, env: { BERTH_LOCAL: '1' } });
    expect(ran.code, ran.err).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({ body: { name: 'hub', username: 'me', password: '***' } });
    expect(ran.out + ran.err).not.toContain(PASSWORD);
  });

  test.each<[string, readonly string[], string | undefined, RegExp]>([
    [
      'on the command line',
      [...CREATE, '--set', `password=${PASSWORD}`],
      undefined,
      /cannot be given on the command line/,
    ],
    ['as a flag', [...CREATE, '--password', PASSWORD], undefined, /unknown option/],
    ['from nobody', CREATE, undefined, /missing --password-stdin/],
    ['that is empty', [...CREATE, '--password-stdin'], '\n', /stdin is empty/],
    ['and a body from the same stdin', [...CREATE, '--password-stdin', '--file', '-'], 'x', /both read stdin/],
  ])('%s is refused and nothing is sent', async (_, argv, stdin, words) => {
    const { ran, server } = await creating(argv, stdin === undefined ? {} : { stdin });
    expect([ran.code, ran.out, server.seen]).toEqual([2, '', []]);
    expect(ran.err).toMatch(words);
  });
});

test('a credential in use is not deleted; several others are deleted at once, by id or name', async () => {
  const world = createTestWorld({ stdin: PASSWORD, env: { BERTH_LOCAL: '1' } });
  expect((await berthIn(world, [...CREATE, '--password-stdin'])).code).toBe(0);
  const another = { ...createTestWorld({ stdin: PASSWORD }), home: world.home, env: world.env };
  const second = await berthIn(another, [
    'registries',
    'create',
    '--name',
    'hub 2',
    '--username',
    'me',
    '--password-stdin',
  ]);
  expect(second.code, second.err).toBe(0);
  const pod = ['pods', 'create', '--name', 'p', '--image', 'i', '--gpu', 'GPU-24G', '--registry', 'hub', '-o', 'id'];
  const { out, err, code } = await berthIn(world, pod);
  expect(code, err).toBe(0);
  const refused = await berthIn(world, ['registries', 'delete', 'hub', '--yes']);
  expect([refused.code, refused.err]).toEqual([5, expect.stringContaining('uses the registry credential')]);
  await berthIn(world, ['pods', 'terminate', out.trim(), '--yes']);
  const gone = await berthIn(world, ['registries', 'delete', 'hub', 'nothing', 'hub 2', '--yes']);
  expect(gone.err).toMatch(/^error: 1 of 3.*\n {2}- nothing: no registry "nothing"/);
  expect(gone.out).toMatch(/^ID\tRESULT\tERROR\n\S+\tdeleted\t-\nnothing\tfailed\t.*no registry.*\n\S+\tdeleted\t-\n$/);
  expect(gone.code).toBe(4);
  expect((await berthIn(world, ['registries', 'list', '-o', 'id'])).out).toBe('reg-team\n');
});

describe('delegations', () => {
  const ARN = 'arn:aws:ecr:eu-west-1:123456789012:repository/team/images';

  test('are created, listed and revoked by name', async () => {
    const world = createTestWorld({ env: { BERTH_LOCAL: '1' } });
    const created = await berthIn(world, ['registries', 'delegations', 'create', '--resource', ARN, '--name', 'mine']);
    expect(created.code, created.err).toBe(0);
    const list = await berthIn(world, ['registries', 'delegations', 'list']);
    expect(list.out).toMatch(/\tmine\tteam\/images\t/);
    const revoked = await berthIn(world, ['registries', 'delegations', 'revoke', 'mine', '--yes']);
    expect([revoked.code, revoked.err]).toEqual([0, 'revoked delegation mine\n']);
    expect((await berthIn(world, ['registries', 'delegations', 'list'])).out).not.toContain('mine');
  });
});
