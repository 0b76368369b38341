import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { temporaryDirectory } from '../../../../support/files/temporary-directory.ts';
import { createTestWorld, type TestWorld } from '../../../../support/worlds/test-world.ts';
import { json, pointedAt, serve } from '../../../../support/servers/scripted-server.ts';

const KEYS = ['a', 'b'].map(
  (name) => `ssh-ed25519 ${Buffer.from(`key ${name} of a test`).toString('base64')} ${name}@laptop`,
);
const [KEY_A = '', KEY_B = ''] = KEYS;
const DIRECT = { host: '203.0.113.7', port: 10022, username: 'root', command: '' };
const pod = (more: object = {}) => ({
  id: 'p1',
  name: 'lab',
  status: 'RUNNING',
  ports: ['22/tcp'],
  env: {},
  ssh: { direct: DIRECT, proxy: null },
  ...more,
});

interface Keys {
  readonly account: readonly string[];
  readonly agent?: readonly string[];
  readonly file?: string;
  readonly more?: object;
  /** The home folder by the system is not that of HOME. */
  readonly otherHome?: boolean;
}

/** Runs `pods ssh --explain`; programs named ssh and ssh-add say what those of OpenSSH would. */
async function explain({ account, agent = [], file, more, otherHome = false }: Keys): Promise<Ran> {
  const server = await serve([json(pod(more)), json({ keys: account })]);
  const accountHome = temporaryDirectory();
  const world = createTestWorld({ accountHome });
  const at = (name: string): string => join(world.directory, name);
  const program = (name: string, body: string): void => {
    writeFileSync(at(name), `#!/bin/sh\n${body}\n`);
    chmodSync(at(name), 0o755);
  };
  const home = otherHome ? world.directory : accountHome;
  mkdirSync(join(home, '.ssh'));
  if (file !== undefined) writeFileSync(join(home, '.ssh/id_test.pub'), `${file}\n`);
  writeFileSync(at('agent'), agent.map((line) => `${line}\n`).join(''));
  writeFileSync(at('settings'), 'identityfile ~/.ssh/id_test\n');
  program('ssh', `test "$1" = -G && cat "${at('settings')}"`);
  program('ssh-add', agent.length > 0 ? `cat "${at('agent')}"` : 'exit 1');
  const env = { ...world.env, ...pointedAt(server.url), PATH: `${world.directory}:${world.env['PATH'] ?? ''}` };
  return await berthIn({ ...world, env }, ['pods', 'ssh', 'p1', '--explain']);
}

test.each<[string, Keys, readonly RegExp[]]>([
  [
    'a key of the agent that the account has fits',
    { account: [KEY_A], agent: [KEY_A, KEY_B] },
    [/fits +SHA256:\S+ +a@laptop +agent/, /other +SHA256:\S+ +b@laptop +agent/, /A key fits.\nStill refused\? Restart/],
  ],
  ['a key of a file fits', { account: [KEY_A], file: KEY_A, more: { status: 'EXITED' } }, [/A key fits.\n$/]],
  [
    'the home folder by the system is read, as ssh does, and not that of HOME',
    { account: [KEY_A], file: KEY_A, otherHome: true },
    [/ssh would offer 0 keys/],
  ],
  [
    'none fits',
    { account: [KEY_A], file: KEY_B },
    [/No key fits. Run berth account ssh-keys add\n/, /erases its container disk\): berth pods restart p1 --wait/],
  ],
  [
    'a pod with SSH_PUBLIC_KEY takes that key and none of the account',
    { account: [KEY_A], agent: [KEY_A], more: { env: { SSH_PUBLIC_KEY: KEY_B } } },
    [/Keys of the pod \(SSH_PUBLIC_KEY\): 1./, /No key fits/],
  ],
])('pods ssh --explain: %s', async (_, keys, said) => {
  const { code, out, err } = await explain(keys);
  expect(code).toBe(0);
  for (const each of said) expect(out + err).toMatch(each);
});

test('the comment of a key is data on a terminal', async () => {
  const { out } = await explain({ account: [KEY_A], agent: [`${KEY_A}\u001b[31m`] });
  expect(out).not.toContain('\u001b');
});

/** A world with a program named ssh that records its arguments and ends with 7. */
function withSsh(world: TestWorld): TestWorld {
  writeFileSync(join(world.directory, 'ssh'), `#!/bin/sh\necho "$@" > "${join(world.directory, 'given')}"\nexit 7\n`);
  chmodSync(join(world.directory, 'ssh'), 0o755);
  return { ...world, env: { ...world.env, PATH: `${world.directory}:${world.env['PATH'] ?? ''}` } };
}

const hasKeygen = spawnSync('ssh-keygen', ['-V']).error === undefined;

test.skipIf(!hasKeygen).each([
  ['exec', ['exec', 'lab', '--start', '--', 'true']],
  ['ssh', ['ssh', 'lab', '--start']],
  ['forward', ['forward', 'lab', '0:8888', '--start']],
])('pods %s --start starts a pod that is EXITED, says what it costs, and goes to it', async (_, words) => {
  const world = withSsh(createTestWorld());
  spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(world.directory, 'key')]);
  const run = (...argv: readonly string[]): Promise<Ran> => berthIn(world, ['--local', ...argv]);
  await run('account', 'ssh-keys', 'add', readFileSync(join(world.directory, 'key.pub'), 'utf8').trim());
  await run(
    'pods',
    'create',
    '--name',
    'lab',
    '--gpu',
    'GPU-24G',
    '--image',
    'a/b:1',
    '--start-ssh',
    '--port',
    '22/tcp',
    '--wait',
  );
  await run('pods', 'stop', 'lab', '--wait');
  const without = await run('pods', ...words.filter((word) => word !== '--start'));
  expect([without.code, without.err]).toEqual([2, expect.stringContaining('pods start pod-')]);
  const ran = await run('pods', ...words);
  expect([ran.code, ran.err]).toEqual([7, expect.stringMatching(/Starting \S+: GPU-24G x1, SECURE: \$0\.69\/h/)]);
  expect(readFileSync(join(world.directory, 'given'), 'utf8')).toContain('root@127.0.0.1');
});

test('a pod without 22/tcp is not started in vain', async () => {
  const server = await serve([json(pod({ status: 'EXITED', ports: ['8888/http'], ssh: null }))]);
  const world = createTestWorld({ env: pointedAt(server.url) });
  const { code, err } = await berthIn(world, ['pods', 'cp', 'p1:x', 'y', '--start']);
  expect(code).toBe(2);
  expect(err).toContain('--start-ssh');
  expect(server.seen.map(({ method }) => method)).toEqual(['GET']);
});
