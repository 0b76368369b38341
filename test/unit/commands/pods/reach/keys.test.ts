import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../support/files/temporary-directory.ts';
import { json, pointedAt, serve } from '../../../../support/servers/scripted-server.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';
import { DIRECT, podWith, withPrograms } from './pod-world.ts';

const [KEY_A = '', KEY_B = ''] = ['a', 'b'].map(
  (name) => `ssh-ed25519 ${Buffer.from(`key ${name} of a test`).toString('base64')} ${name}@laptop`,
);

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
  const pod = podWith({ direct: DIRECT, proxy: null }, { env: {}, ...more });
  const server = await serve([json(pod), json({ keys: account })]);
  const accountHome = temporaryDirectory();
  const world = createTestWorld({ accountHome, env: pointedAt(server.url) });
  const home = otherHome ? world.directory : accountHome;
  mkdirSync(join(home, '.ssh'));
  if (file !== undefined) writeFileSync(join(home, '.ssh/id_test.pub'), `${file}\n`);
  writeFileSync(join(world.directory, 'agent'), agent.map((line) => `${line}\n`).join(''));
  const programs = {
    ssh: 'test "$1" = -G && echo "identityfile ~/.ssh/id_test"',
    'ssh-add': agent.length > 0 ? `cat "${world.directory}/agent"` : 'exit 1',
  };
  return await berthIn(withPrograms(world, programs), ['pods', 'ssh', 'p1', '--explain']);
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
  ['the comment of a key is data', { account: [KEY_A], agent: [`${KEY_A}\u001b[31m`] }, [/a@laptop\\x1b\[31m/]],
])('pods ssh --explain: %s', async (_, keys, said) => {
  const { code, out, err } = await explain(keys);
  expect(code).toBe(0);
  for (const each of said) expect(out + err).toMatch(each);
});

test('pods ssh --explain of a pod without an SSH port says what pods ssh says', async () => {
  const { code, err } = await explain({ account: [KEY_A], more: { ports: ['8888/http'], ssh: null } });
  expect([code, err]).toEqual([2, expect.stringMatching(/^error: .* no SSH address\n.*--start-ssh.*22\/tcp\.\n$/)]);
});
