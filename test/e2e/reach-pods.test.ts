import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderWith, localExec, type Folder } from './workers/support.ts';

const hasSsh = ['ssh', 'scp', 'ssh-keygen'].every((name) => spawnSync(name, ['-V']).error === undefined);
if (!hasSsh) console.log('note: not run: no OpenSSH, so pods of the local service are not entered');
const sshTest = test.skipIf(!hasSsh || process.platform === 'win32');

/** Where a program is, without the folder of a test. */
const pathOf = (name: string): string => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim();

/** A pod that can be entered with the key of this folder. */
const LAB = `
berth account ssh-keys add "$(cat key.pub)" > keys.txt
berth pods create --name lab --gpu GPU-24G --image example/x:1 --start-ssh --port 22/tcp --wait --json > pod.json
`;

/**
 * A folder with a key. ssh reads the home folder of the user from the system: programs of the same names in the search path give
 * ssh, scp and sftp the key and the configuration of the folder.
 */
async function folderWithKey(files: Readonly<Record<string, string>> = {}): Promise<Folder> {
  const folder = await folderWith(files);
  spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', folder.at('key')]);
  mkdirSync(folder.at('bin'));
  mkdirSync(folder.at('.ssh'), { mode: 0o700 });
  writeFileSync(folder.at('.ssh/config'), '');
  for (const name of ['ssh', 'scp']) {
    const file = path.join(folder.at('bin'), name);
    writeFileSync(file, `#!/bin/sh\nexec "${pathOf(name)}" -F "${folder.at('ssh_config')}" "$@"\n`);
    chmodSync(file, 0o755);
  }
  // An Include without a folder is looked for in that of the user.
  writeFileSync(
    folder.at('ssh_config'),
    `Include "${folder.at('.ssh/berth_config')}"\nIdentityFile "${folder.at('key')}"\nIdentitiesOnly yes\nBatchMode yes\n`,
  );
  return { ...folder, env: { ...folder.env, PATH: `${folder.at('bin')}:${folder.env['PATH'] ?? ''}` } };
}

sshTest('pods exec gives a command its words, streams and exit code, and tells the failure of ssh apart', async () => {
  const folder = await folderWithKey();
  const { code, stdout, stderr } = await localExec(
    folder,
    [],
    `${LAB}
berth pods exec lab -- printf '<%s>' "a  b" "q'uote" '$HOME' '*' '' && echo
for code in 0 1 2 127 254; do berth pods exec lab -- sh -c "exit $code" || echo "code $?"; done
head -c 3000000 /dev/urandom > big
berth pods exec lab -- cat < big > back && cmp big back && echo same
echo in | berth pods exec lab --cwd / --env A='1 2' -- sh -c 'cat; echo "$A"; pwd; test -t 0 || echo no terminal'
berth pods exec lab -- sh -c 'env | grep -c API_KEY' || true
berth pods exec lab -- sh -c 'kill -9 $$' 2> killed.txt || echo "killed $?"
berth pods exec --match 'la*' -- sh -c 'echo one; echo two >&2; exit 3' || echo "several $?"
berth pods exec pod-web -- true 2> unreachable.txt || echo "unreachable $?"
`,
  );
  expect([code, stderr.includes('stack')], stderr).toEqual([0, false]);
  expect(stdout.split('\n')).toEqual([
    "<a  b><q'uote><$HOME><*><>",
    'code 1',
    'code 2',
    'code 127',
    'code 254',
    'same',
    'in',
    '1 2',
    '/',
    'no terminal',
    '0',
    'killed 255',
    'lab: one',
    'several 10',
    'unreachable 2',
    '',
  ]);
  expect(stderr).toContain('lab: two');
  expect(folder.read('killed.txt')).toContain('whether the command ran is not known');
  expect(folder.read('unreachable.txt')).toContain('it does not publish 22/tcp');
  expect(folder.read('unreachable.txt')).toContain('berth pods update pod-web');
});

sshTest(
  'a start of a pod has a new folder, host key and port; what is mounted stays; NAME.berth follows it',
  async () => {
    const folder = await folderWithKey({ 'a file.txt': 'content' });
    const { code, stdout, stderr } = await localExec(
      folder,
      [],
      `${LAB}
berth pods ssh-config --install --yes
ssh lab.berth 'echo by name; echo kept > file'
scp -q 'a file.txt' lab.berth:copied.txt
ssh lab.berth cat copied.txt; echo
before=$(berth pods get lab --json --jq .ssh.direct.port)
berth pods restart lab --yes --wait > restarted.txt
after=$(berth pods get lab --json --jq .ssh.direct.port)
test "$before" != "$after" && echo other port
ssh lab.berth 'test -e file || echo wiped'
ssh pod-000001.berth 'echo by id'
berth pods exec lab -- echo trusted again
ssh-keygen -q -t ed25519 -N '' -f other
ssh -i other -o IdentityFile=other lab.berth true 2> denied.txt || echo "denied $?"
berth pods ssh-config --uninstall --yes
ls .ssh
`,
    );
    expect(code, stderr).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'by name',
      'content',
      'other port',
      'wiped',
      'by id',
      'trusted again',
      'config',
      '',
    ]);
  },
);

sshTest('git clones a repository of a pod by its name', async () => {
  if (spawnSync('git', ['--version']).error !== undefined) return;
  const folder = await folderWithKey();
  const { code, stdout, stderr } = await localExec(
    folder,
    [],
    `${LAB}
berth pods ssh-config --install --yes
ssh lab.berth 'git init -q repo && cd repo && echo one > one && git add one && git -c user.name=a -c user.email=a@example.com commit -qm one'
git clone -q lab.berth:repo 2> clone.txt
cat repo/one
`,
  );
  expect([code, stdout], stderr).toEqual([0, 'one\n']);
});

const isRoot = process.getuid?.() === 0 && process.platform === 'linux';
const otherUserTest = test.skipIf(!hasSsh || !isRoot);

otherUserTest('another user of the machine is not let in, even with a key of the account', async () => {
  const folder = await folderWithKey();
  const { code, stdout, stderr } = await localExec(
    folder,
    [],
    `${LAB}
port=$(berth pods get lab --json --jq .ssh.direct.port)
other=$(mktemp -d /tmp/berth-other-XXXXXX)
cp key "$other/key"
chown -R 65534:65534 "$other"
asOther() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
try="${pathOf('ssh')} -F none -i $other/key -o BatchMode=yes -o UserKnownHostsFile=$other/hosts -o StrictHostKeyChecking=accept-new -p $port root@127.0.0.1 echo entered"
asOther $try 2> refused.txt || echo "other $?"
rm -rf "$other/hosts"
chown -R 0:0 "$other"
$try 2> accepted.txt
rm -rf "$other"
`,
  );
  expect([code, stdout], stderr).toEqual([0, 'other 255\nentered\n']);
});
