import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hasSsh } from '../support/servers/sshd.ts';
import { folderWithKey, LAB, pathOf, sshTest } from './pods-support.ts';
import { localExec } from './workers/support.ts';

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
berth pods exec lab -- sh -c 'exit 255' 2> ssh-failed.txt || echo "code $?"
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
    'killed 137',
    'code 255',
    'lab: one',
    'several 10',
    'unreachable 2',
    '',
  ]);
  expect(stderr).toContain('lab: two');
  expect(folder.read('ssh-failed.txt')).toContain('ssh failed (255)');
  expect(folder.read('unreachable.txt')).toContain('--start-ssh, which publishes port 22/tcp');
});

sshTest(
  'a start of a pod has a new folder, host key and port; NAME.berth follows it; another key is not let in',
  async () => {
    const folder = await folderWithKey({ 'a file.txt': 'content' });
    const { code, stdout, stderr } = await localExec(
      folder,
      [],
      `${LAB}
berth pods ssh-config --install
ssh lab.berth 'echo by name; echo kept > file'
scp -q 'a file.txt' lab.berth:copied.txt
ssh lab.berth cat copied.txt; echo
before=$(berth pods get lab --json --jq .ssh.direct.port)
berth pods restart lab --yes > restarted.txt
ready lab
after=$(berth pods get lab --json --jq .ssh.direct.port)
test "$before" != "$after" && echo other port
ssh lab.berth 'test -e file || echo wiped'
ssh pod-000001.berth 'echo by id'
berth pods exec lab -- echo trusted again
ssh-keygen -q -t ed25519 -N '' -f other
${pathOf('ssh')} -F .ssh/berth_config -i other -o IdentitiesOnly=yes -o BatchMode=yes lab.berth echo entered 2> denied.txt || echo "denied $?"
${pathOf('ssh')} -F .ssh/berth_config -i key -o IdentitiesOnly=yes -o BatchMode=yes lab.berth echo entered
berth pods ssh-config --uninstall
ls .ssh | grep berth || echo nothing of berth
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
      'denied 255',
      'entered',
      'nothing of berth',
      '',
    ]);
  },
);

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

sshTest(
  'commands with --local find the same host key within one start of a pod, and another one after a restart',
  async () => {
    const folder = await folderWithKey();
    const env = { ...folder.env, BERTH_DATA_DIR: folder.at('data'), BERTH_LOCAL: '1' };
    const { code, stdout, stderr } = await localExec(
      { ...folder, env },
      [],
      `unset BERTH_BASE_URL BERTH_QUEUE_URL BERTH_REST_URL BERTH_API_KEY
export BERTH_LOCAL=1
${LAB}
berth pods exec lab -- sh -c 'echo first; touch file'
berth pods exec lab -- sh -c 'ls; echo second'
berth pods restart lab --yes > restarted.txt
ready lab
berth pods exec lab -- sh -c 'ls; echo third'
`,
    );
    expect([code, stdout], stderr).toEqual([0, 'first\nfile\nsecond\nthird\n']);
  },
);

/** Relative paths, and those that a command prints, are the same for a copy. */
const SAME_PATHS = `
berth pods cp 'a file.txt' lab: 2> copied.txt > table.txt
berth pods exec lab -- cat 'a file.txt'; echo
home=$(berth pods exec lab -- pwd)
berth pods cp 'a file.txt' "lab:$home/deep/er/" 2>> copied.txt > table.txt
berth pods exec lab -- ls "$home/deep/er"
berth pods exec lab -- sh -c 'mkdir ../folder && echo made > ../folder/file'
berth pods cp lab:../folder/file back.txt 2>> copied.txt > table.txt
cat back.txt
berth pods exec lab -- sh -c 'echo temporary > "$TMPDIR/file"; echo "$TMPDIR/file"' > name.txt
berth pods cp "lab:$(cat name.txt)" back.txt 2>> copied.txt > table.txt
cat back.txt
`;
const SAME = 'content\na file.txt\nmade\ntemporary\n';

/** Links of a pod, some of which lead out of its home folder, and what SFTP makes of them. */
const LINKS = `
berth pods ssh-config --install
berth pods exec lab -- sh -c 'echo of the pod > ../made; mkdir -p down/er; cd down
ln -s "$(cd ../..; pwd)/made" absolute; ln -s ../../made relative; ln -s er/.. up
ln -s loop loop; ln -s /etc outside; ln -s "$TMPDIR/new" dangling'
batch() { printf '%s\\n' "$@" | sftp -q -b - lab.berth > sftp.txt 2>&1; }
for path in absolute relative up/up/relative up/../down/absolute; do rm -f got; batch "get down/$path got" && cat got; done
echo changed > changed
batch 'put changed down/absolute' 'put changed down/dangling' && berth pods exec lab -- sh -c 'cat ../made "$TMPDIR/new"'
batch 'put changed down/outside/of-a-test' || echo "outside $?"
batch 'get down/loop got' || echo "loop $?"
batch 'rm down/absolute' 'rename down/relative down/renamed' && berth pods exec lab -- sh -c 'cat ../made; readlink down/renamed'
`;
const LINKED = `${'of the pod\n'.repeat(4)}changed\nchanged\noutside 1\nloop 1\nchanged\n../../made\n`;

sshTest('a command, a copy and SFTP find the same files in a pod of the local service, and none outside', async () => {
  const folder = await folderWithKey({ 'a file.txt': 'content' });
  // As on a system that gives a user no view of the file system of their own.
  writeFileSync(folder.at('bin/unshare'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const outside = `batch 'get down/outside/passwd got' || echo "not of the pod $?"\n`;
  const { code, stdout, stderr } = await localExec(folder, [], `${LAB}${SAME_PATHS}${LINKS}${outside}`);
  expect([code, stdout], stderr).toEqual([0, `${SAME}${LINKED}not of the pod 1\n`]);
});

const hasOwnRoot =
  spawnSync('unshare', ['--user', '--map-root-user', '--mount', '--', 'sh', '-c', 'mount --rbind /usr /mnt']).status ===
  0;
if (!hasOwnRoot)
  console.log('note: not run: no user namespaces, so pods of the local service have the paths of this machine');

test.skipIf(!hasSsh || !hasOwnRoot)('on Linux the paths of a pod of the local service are those of a pod', async () => {
  const folder = await folderWithKey({ 'a file.txt': 'content' });
  const { code, stdout, stderr } = await localExec(folder, [], `${LAB}${SAME_PATHS}`);
  expect([code, stdout], stderr).toEqual([0, SAME]);
});

sshTest(
  'what is mounted in a pod of the local service is there after a restart, and is the folder of its volume',
  async () => {
    const folder = await folderWithKey({ 'a file.txt': 'from here' });
    const { code, stdout, stderr } = await localExec(
      folder,
      [],
      `${LAB}
volume=$(berth volumes list -o id | head -n 1)
create() { berth pods create "$@" --gpu GPU-24G --image example/x:1 --start-ssh --port 22/tcp --mount-path /workspace > pod.txt; }
create mounted --network-volume "$volume"
create disk --persistent-size 20
ready disk
inside() { pod=$1; shift; berth pods exec "$pod" -- sh -c "cd /workspace 2> /dev/null || cd ../workspace; $*"; }
inside mounted 'mkdir of-pod; echo written > of-pod/file'
berth files cat "$volume:of-pod/file"
berth files cp 'a file.txt' "$volume:of-pod/" > table.txt
inside mounted 'cat "of-pod/a file.txt"; echo'
inside disk 'echo kept > kept'
berth pods restart mounted disk --yes > pod.txt
ready disk
inside mounted 'cat of-pod/file'
inside disk 'cat kept'
`,
    );
    expect([code, stdout], stderr).toEqual([0, 'written\nfrom here\nwritten\nkept\n']);
  },
);

sshTest(
  'what runs in the background of a local pod ends when the pod restarts or stops, and with the service',
  async () => {
    const folder = await folderWithKey();
    // The processes of local pods are seen from all of them.
    const sleep = (at: number): string => `sleep ${String(200_000 + process.pid)}.${String(at)}`;
    const left = `pgrep -f '^${sleep(0).slice(0, -1)}' | wc -l`;
    const untilLeft = (count: number): string =>
      `until [ "$(${left})" -eq ${String(count)} ]; do sleep 0.1; done; echo ${String(count)}`;
    const background = (at: number): string =>
      `berth pods exec lab -- sh -c 'nohup ${sleep(at)} > /dev/null 2>&1 & setsid ${sleep(at)}1 > /dev/null 2>&1 < /dev/null &'`;
    const { code, stdout, stderr } = await localExec(
      folder,
      [],
      `${LAB}
${background(1)}; ${untilLeft(2)}
berth pods restart lab --yes > out.txt; ready lab; berth pods exec lab -- true; ${untilLeft(0)}
${background(2)}; ${untilLeft(2)}
berth pods stop lab --wait > out.txt; ${untilLeft(0)}
berth pods start lab > out.txt; ready lab
${background(3)}; ${untilLeft(2)}
`,
    );
    expect([code, stdout], stderr).toEqual([0, '2\n0\n2\n0\n2\n']);
    expect(spawnSync('sh', ['-c', left], { encoding: 'utf8' }).stdout.trim()).toBe('0');
  },
);
