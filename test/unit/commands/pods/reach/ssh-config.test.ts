import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sshConfigText } from '../../../../../src/commands/pods/ssh-config.ts';
import { temporaryDirectory } from '../../../../support/files/temporary-directory.ts';
import { hasSsh } from '../../../../support/servers/sshd.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';

const LINE = 'Include berth_config';

test.each([
  ['an empty file', '', `${LINE}\n`],
  ['a file without it', 'User me\n', `${LINE}\nUser me\n`],
  ['a file with ends of lines of Windows', 'Host a\r\n  User b\r\n', `${LINE}\r\nHost a\r\n  User b\r\n`],
  ['a file that has it', `${LINE}\nHost a\n`, `${LINE}\nHost a\n`],
  ['one below a Host, where it counts for that host only', 'Host a\n  User b\n', `${LINE}\nHost a\n  User b\n`],
])('the line is put at the top of %s, and taken out again', async (_, before, after) => {
  const world = createTestWorld({ platform: 'win32' });
  const home = join(world.directory, 'profile');
  mkdirSync(join(home, '.ssh'), { recursive: true });
  const config = join(home, '.ssh/config');
  writeFileSync(config, before);
  // On Windows ssh reads the profile of the user, and not HOME.
  const run = (flag: string): Promise<Ran> =>
    berthIn({ ...world, env: { ...world.env, USERPROFILE: home } }, ['--local', 'pods', 'ssh-config', flag]);
  expect((await run('--install')).code).toBe(0);
  expect(readFileSync(config, 'utf8')).toBe(after);
  expect(readFileSync(join(home, '.ssh/berth_config'), 'utf8')).toContain('pods connect -- "%n"\n');
  expect(existsSync(join(world.directory, '.ssh'))).toBe(false);
  expect((await run('--uninstall')).code).toBe(0);
  expect(readFileSync(config, 'utf8')).toBe(after.replace(/^[^\n]*\n/, ''));
  expect(readdirSync(join(home, '.ssh'))).toEqual(['config']);
});

/** What ssh makes of a host with the block; a program that records its argument is in the place of berth. */
function connectTo(host: string): { readonly ran: string | undefined; readonly others: boolean } {
  const folder = join(temporaryDirectory());
  const [program, config] = [join(folder, "be'r th%n"), join(folder, 'config')];
  writeFileSync(program, `#!/bin/sh\nprintf %s "$#:$3:$4" > "${join(folder, 'ran')}"\n`, { mode: 0o755 });
  writeFileSync(config, sshConfigText([program], join(folder, 'known'), 'linux'));
  spawnSync('ssh', ['-F', config, '-o', 'BatchMode=yes', '--', host, 'true'], { cwd: folder, timeout: 300_000 });
  const ran = join(folder, 'ran');
  return { ran: existsSync(ran) ? readFileSync(ran, 'utf8') : undefined, others: existsSync(join(folder, 'pwned')) };
}

test.skipIf(!hasSsh)(
  'a name reaches berth as one word, through a program whose path has a quote and a percent sign',
  () => {
    expect(connectTo('lab.berth')).toEqual({ ran: '4:--:lab.berth', others: false });
  },
);

test
  .skipIf(!hasSsh)
  .each([
    "x'; touch pwned; '.berth",
    '$(touch pwned).berth',
    '`touch pwned`.berth',
    '-oProxyCommand=touch pwned.berth',
    'a\ntouch pwned\n.berth',
    'x;touch pwned;.berth',
    "x\\'; touch pwned; \\'.berth",
    '%n%h|touch pwned|.berth',
    '*; touch pwned.berth',
  ])('the hostile name %j runs nothing', (host) => {
  expect(connectTo(host).others).toBe(false);
});

const ON_WINDOWS = sshConfigText(
  ['C:\\Program Files\\nodejs\\node.exe', 'C:\\tools\\100% berth\\berth', '--profile', 'work'],
  'C:\\Users\\Zoë\\AppData\\Local\\berth\\ssh\\known_hosts',
  'win32',
);

test('on Windows, ProxyCommand is quoted for cmd.exe, and paths keep their backslashes', () => {
  expect(ON_WINDOWS).toContain(
    String.raw`ProxyCommand "C:\Program Files\nodejs\node.exe" "C:\tools\100%% berth\berth" --profile work pods connect -- "%n"`,
  );
  expect(ON_WINDOWS).toContain(
    String.raw`UserKnownHostsFile "C:\\Users\\Zoë\\AppData\\Local\\berth\\ssh\\known_hosts.d/%n"`,
  );
});

test.skipIf(!hasSsh).each([
  ['großes lab.berth', true],
  ['x&calc&.berth', false],
  ['x|calc.berth', false],
  ['x>file.berth', false],
  ['%PATH%.berth', false],
  ['..\\x.berth', false],
  ['../x.berth', false],
  ['c:x.berth', false],
])('on Windows, the name %j is of the block: %s', (host, isOf) => {
  const config = join(temporaryDirectory(), 'config');
  writeFileSync(config, ON_WINDOWS);
  const { stdout, stderr } = spawnSync('ssh', ['-F', config, '-G', '--', host], { encoding: 'utf8' });
  // Newer versions of ssh refuse some of these names themselves.
  if (stderr.includes('invalid characters')) return;
  expect(/^proxycommand /m.test(stdout), stderr).toBe(isOf);
});
