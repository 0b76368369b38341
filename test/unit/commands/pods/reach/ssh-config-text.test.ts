import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  includeLine,
  sshConfigText,
  withInclude,
  withoutInclude,
} from '../../../../../src/commands/pods/reach/ssh-config-text.ts';
import { temporaryDirectory } from '../../../../support/files/temporary-directory.ts';
import { hasSsh } from '../../../../support/servers/sshd.ts';

const LINE = includeLine('berth_config');

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
  expect(withInclude(before, LINE)).toBe(after);
});

test('what is put in is taken out again, and the rest of the file is kept byte for byte', () => {
  const lines = fc.array(fc.constantFrom('Host a', '  User b', '', '# c', 'Match all', 'Include other', '\tPort 1\r'));
  fc.assert(
    fc.property(lines, (each) => {
      const text = each.join('\n');
      expect(withoutInclude(withInclude(text, LINE), LINE)).toBe(text);
    }),
  );
});

const sshTest = test.skipIf(!hasSsh);

/** What ssh makes of a host with the block; a program that records its argument is in the place of berth. */
function connectTo(host: string): { readonly ran: boolean; readonly others: boolean } {
  const folder = join(temporaryDirectory());
  const [program, config] = [join(folder, "be'r th%n"), join(folder, 'config')];
  writeFileSync(program, `#!/bin/sh\necho "$#:$3" >> "${join(folder, 'ran')}"\n`, { mode: 0o755 });
  writeFileSync(config, sshConfigText([program], join(folder, 'known')));
  spawnSync('ssh', ['-F', config, '-o', 'BatchMode=yes', '--', host, 'true'], { cwd: folder, timeout: 60_000 });
  return { ran: existsSync(join(folder, 'ran')), others: existsSync(join(folder, 'pwned')) };
}

sshTest('a name reaches berth as one word, through a program whose path has a quote and a percent sign', () => {
  expect(connectTo('lab.berth')).toEqual({ ran: true, others: false });
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
])('the hostile name %j runs nothing', (host) => {
  expect(connectTo(host).others).toBe(false);
});
