import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { json, pointedAt, routed, serve, type ScriptedServer } from '../support/servers/scripted-server.ts';
import { expectNoKeyNoStack, fails, works } from '../support/worlds/expect-run.ts';
import { onWrite, writes, type Write } from '../support/worlds/read-write-commands.ts';
import { berth, berthIn } from '../support/worlds/run-berth.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';

// The setting `access` limits what requests may do. It is checked where requests are sent, before anything is sent.

const KEYS = 'ssh-ed25519 AAAA me@host';
const ANY = json({ id: 'x', status: 'OK' });
const answers = onWrite(ANY);
const answersWithKey = routed({ 'GET /v2/account/ssh-keys': json({ keys: [KEYS] }) }, ANY);

const onlyRead = ({ seen }: ScriptedServer): void => {
  expect(seen.filter(({ method }) => method !== 'GET')).toEqual([]);
};

/** Commands and raw requests that destroy something. */
const DESTROYING: readonly (readonly string[])[] = [
  ['queue', 'purge', 'ep1', '--yes'],
  ['pods', 'terminate', 'pod1', '--force', '--yes'],
  ['volumes', 'delete', 'vol1', '--force', '--yes'],
  ['registries', 'delegations', 'revoke', 'd1', '--yes'],
  ['account', 'ssh-keys', 'remove', KEYS, '--yes'],
  ['api', 'DELETE', '/v2/templates/t1', '--yes'],
  ['api', 'PUT', '/v2/account/ssh-keys', '--input', '{"keys":[]}', '--yes'],
  ['api', 'POST', '/v2/pods/pod1/action', '--input', '{ "action" : "terminate" }', '--yes'],
  ['api', 'POST', '/v2/pods/pod1/action', '--field', 'action=terminate', '--yes'],
  ['api', 'POST', '/ep1/purge-queue', '--service', 'queue', '--yes'],
];

describe('read', () => {
  test.each(writes)('refuses %s: 3', async (_, { argv }: Write) => {
    const { servers } = await fails(argv, { exit: 3, says: [/`(write|full)` access/, /BERTH_ACCESS/] }, [answers], {
      env: { BERTH_ACCESS: 'read' },
    });
    for (const { seen } of servers) expect(seen).toEqual([]);
  });

  test('reads as usual', async () => {
    await works(['pods', 'get', 'pod1'], [json({ id: 'pod1', status: 'RUNNING' })], { env: { BERTH_ACCESS: 'read' } });
  });

  test('--dry-run shows the request all the same, and ends 3', async () => {
    const argv = ['jobs', 'run', 'ep1', '--input', '{}', '--dry-run'];
    await fails(argv, { exit: 3, says: ['this needs `write` access'], out: /POST/ }, [answers], {
      env: { BERTH_ACCESS: 'read' },
    });
  });

  test.each([
    ['jobs batch run echo --input missing.jsonl --out r.jsonl'],
    ['jobs batch run echo --input - --out r.jsonl'],
    ['jobs batch resume missing.jsonl'],
    ['files sync missing/ datasets:'],
    ['files cp missing.txt datasets:'],
    ['files rm datasets:missing --yes'],
    ['files mv missing.txt datasets:'],
    ['api POST /v2/pods --input @missing.json'],
  ])('refuses %s before it looks for a file, and creates none', async (line) => {
    const world = createTestWorld({ env: { BERTH_ACCESS: 'read' } });
    const { code, err } = await berthIn(world, ['--local', ...line.split(' ')]);
    expect([code, err]).toEqual([3, expect.stringMatching(/needs `(write|full)` access/)]);
    expect(readdirSync(world.directory)).toEqual([]);
  });

  test('a terminal is asked for nothing', async () => {
    const { code, err } = await berth(['--local', 'volumes', 'create'], {
      env: { BERTH_ACCESS: 'read' },
      tty: true,
    });
    expect([code, err]).toEqual([3, expect.stringContaining('needs `write` access')]);
  });

  test.each([['volumes delete scratch --dry-run'], ['api POST /v2/pods --input {} --dry-run']])(
    '%s shows what it is about, and ends as it would be refused',
    async (line) => {
      const { code, err } = await berth(['--local', ...line.split(' ')], { env: { BERTH_ACCESS: 'read' } });
      expect([code, err.split('this needs').length]).toEqual([3, 2]);
    },
  );

  test('holds for the local service too', async () => {
    const { code, err } = await berth(['--local', 'pods', 'stop', 'pod-train'], { env: { BERTH_ACCESS: 'read' } });
    expect([code, err]).toEqual([3, expect.stringContaining('`read` from BERTH_ACCESS; nothing was sent')]);
  });
});

describe('write', () => {
  test.each(DESTROYING.map((argv) => [argv.join(' '), argv] as const))('refuses %s: 3', async (_, argv) => {
    const { servers } = await fails(argv, { exit: 3, says: [/needs `full` access/] }, [answersWithKey], {
      env: { BERTH_ACCESS: 'write' },
    });
    servers.forEach(onlyRead);
  });

  test.each([
    [['jobs', 'run', 'ep1', '--input', '{}']],
    [['api', 'POST', '/v2/pods/pod1/action', '--input', '{"action":"stop"}']],
    [['jobs', 'cancel', 'ep1', 'job1']],
  ])('allows %j', async (argv) => {
    const { server } = await works(argv, [json({ id: 'job1', status: 'CANCELLED' })], {
      env: { BERTH_ACCESS: 'write' },
    });
    expect(server.seen.some(({ method }) => method === 'POST')).toBe(true);
  });

  test('allows a new SSH key, although the request replaces the whole set', async () => {
    const server = await serve([json({ keys: [KEYS] }), json({ keys: [KEYS, 'ssh-ed25519 BBBB you@host'] })]);
    const ran = await berth(['account', 'ssh-keys', 'add', 'ssh-ed25519 BBBB you@host'], {
      env: { ...pointedAt(server.url), BERTH_ACCESS: 'write' },
    });
    expectNoKeyNoStack(ran);
    expect([ran.code, server.seen.map(({ method }) => method)]).toEqual([0, ['GET', 'PUT']]);
  });
});

test('a profile stores the access, and a refusal names the profile', async () => {
  const world = createTestWorld({ env: { BERTH_BASE_URL: 'http://127.0.0.1:9', BERTH_API_KEY: 'k-0123456789' } });
  expect((await berthIn(world, ['config', 'set', 'access', 'read'])).code).toBe(0);
  const { code, err } = await berthIn(world, ['pods', 'stop', 'pod1']);
  expect([code, err]).toEqual([3, expect.stringContaining('the setting access is `read` of the profile "default"')]);
});

test('an unknown level is refused: 2', async () => {
  const { code, err } = await berth(['--local', 'pods', 'stop', 'pod-train'], { env: { BERTH_ACCESS: 'none' } });
  expect([code, err]).toEqual([2, expect.stringContaining('BERTH_ACCESS')]);
});
