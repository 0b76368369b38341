import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LINE, sshConfigText, withInclude, withoutInclude } from '../../../../../src/commands/pods/ssh-config.ts';
import { temporaryDirectory } from '../../../../support/files/temporary-directory.ts';
import { hasSsh } from '../../../../support/servers/sshd.ts';

test.each([
  ['an empty file', '', `${LINE}\n`],
  ['a file without it', 'User me\n', `${LINE}\nUser me\n`],
  ['a file with ends of lines of Windows', 'User me\r\n', `${LINE}\r\nUser me\r\n`],
  ['a file that has it', `User me\n${LINE}\nHost a\n`, `User me\n${LINE}\nHost a\n`],
  ['one below a Host, where it counts for that host only', `Host a\n  ${LINE}\n`, `${LINE}\nHost a\n  ${LINE}\n`],
  ['one below a Match', `match all\n${LINE}\n`, `${LINE}\nmatch all\n${LINE}\n`],
  ['one below a Host with an equals sign', `Host=a\n${LINE}\n`, `${LINE}\nHost=a\n${LINE}\n`],
  [
    'a comment about a Host above it',
    `# Host a\nHostKeyAlgorithms x\n${LINE}\n`,
    `# Host a\nHostKeyAlgorithms x\n${LINE}\n`,
  ],
])('the line is put at the top of %s', (_, before, after) => {
  expect(withInclude(before)).toBe(after);
});

test('what is put in is taken out again, and the rest of the file is kept byte for byte', () => {
  const lines = fc.array(fc.constantFrom('Host a', '  User b', '', '# c', 'Match all', 'Include other', '\tPort 1\r'));
  fc.assert(
    fc.property(lines, (each) => {
      const text = each.join('\n');
      expect(withoutInclude(withInclude(text))).toBe(text);
    }),
  );
});

const sshTest = test.skipIf(!hasSsh);

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

sshTest('a name reaches berth as one word, through a program whose path has a quote and a percent sign', () => {
  expect(connectTo('lab.berth')).toEqual({ ran: '4:--:lab.berth', others: false });
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
  ['lab.berth', true],
  ['großes lab.berth', true],
  ['x&calc&.berth', false],
  ['x|calc.berth', false],
  ['"&calc&".berth', false],
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

// Before OpenSSH 9.6, ssh puts any name into the command, which a shell reads. The block leaves out names with a quote or a slash.
test.skipIf(process.platform === 'win32')('any other name is one word to the shell of ProxyCommand', () => {
  const command = /ProxyCommand (.*)/.exec(sshConfigText(['printf', '<%s>'], '/known', 'linux'))?.[1] ?? '';
  const hostile = fc.constantFrom(
    '$(touch x)',
    '`',
    '"',
    '\\',
    '\n',
    ';',
    ' ',
    '%n',
    '-',
    '!',
    '*',
    '&',
    '|',
    '<',
    '~',
    '#',
  );
  const name = fc.array(fc.oneof(hostile, fc.stringMatching(/^[^'/\0]$/u))).map((parts) => parts.join(''));
  fc.assert(
    // Many names for one shell: to start it takes longer than all of them.
    fc.property(fc.array(name, { minLength: 30, maxLength: 40 }), (names) => {
      const script = names.map((each) => `${command.replaceAll('%%', '%').replace('%n', () => each)}; echo`).join('\n');
      const { stdout } = spawnSync('sh', ['-c', script]);
      expect(stdout.toString()).toBe(names.map((each) => `<pods><connect><--><${each}>\n`).join(''));
    }),
    { numRuns: 3 },
  );
});

sshTest.each([
  "x'; touch pwned; '.berth",
  "'$(touch pwned)'.berth",
  '$(touch pwned).berth',
  '`touch pwned`.berth',
  '-oProxyCommand=touch pwned.berth',
  'a\ntouch pwned\n.berth',
  'x;touch pwned;.berth',
  'x"; touch pwned; ".berth',
  "x\\'; touch pwned; \\'.berth",
  '%n%h|touch pwned|.berth',
  '-x; touch pwned.berth',
  '!touch pwned.berth',
  '*; touch pwned.berth',
])('the hostile name %j runs nothing', (host) => {
  expect(connectTo(host).others).toBe(false);
});
