import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { folderWithKey, hasSsh, LAB, sshTest } from './pods-support.ts';
import { localExec } from './workers/support.ts';

// Files go to pods of the local service and come back, by programs that know a pod by its name and by berth itself.

sshTest('git clones a repository of a pod by its name', async () => {
  if (spawnSync('git', ['--version']).error !== undefined) return;
  const folder = await folderWithKey();
  const { code, stdout, stderr } = await localExec(
    folder,
    [],
    `${LAB}
berth pods ssh-config --install
ssh lab.berth 'git init -q repo && cd repo && echo one > one && git add one && git -c user.name=a -c user.email=a@example.com commit -qm one'
git clone -q lab.berth:repo 2> clone.txt
cat repo/one
`,
  );
  expect([code, stdout], stderr).toEqual([0, 'one\n']);
});

sshTest('scp copies a large file whole, in both directions', async () => {
  const folder = await folderWithKey();
  const { code, stdout, stderr } = await localExec(
    folder,
    [],
    `${LAB}
berth pods ssh-config --install
head -c 12345678 /dev/urandom > big
for i in 1 2 3; do scp -q big lab.berth:there && ssh lab.berth cat there | cmp big - && echo sent; done
scp -q lab.berth:there back && cmp big back && echo received
`,
  );
  expect([code, stdout], stderr).toEqual([0, 'sent\nsent\nsent\nreceived\n']);
});

const hasRsync = spawnSync('rsync', ['--version']).error === undefined;
if (!hasRsync) console.log('note: not run: no rsync');

test.skipIf(!hasSsh || !hasRsync)('rsync makes folders alike in both directions by the name of a pod', async () => {
  const folder = await folderWithKey();
  const { code, stdout, stderr } = await localExec(
    folder,
    [],
    `${LAB}
berth pods ssh-config --install
mkdir tree && echo a > tree/a && head -c 2000000 /dev/urandom > 'tree/b c'
rsync -rlpt tree/ lab.berth:tree/
echo more >> tree/a
rsync -rlpt tree/ lab.berth:tree/
rsync -rlpt lab.berth:tree/ back/
diff -r tree back && echo same
`,
  );
  expect([code, stdout], stderr).toEqual([0, 'same\n']);
});

sshTest('100 MB of any bytes go through the stdin and stdout of a command, and by pods cp', async () => {
  const folder = await folderWithKey();
  const { code, stdout, stderr } = await localExec(
    folder,
    [],
    `${LAB}
head -c 100000000 /dev/urandom > big
berth pods exec lab -- cat < big > back && cmp big back && echo streams
berth pods cp big lab: > table.txt
berth pods exec lab -- cat big | cmp - big && echo copied
`,
  );
  expect([code, stdout], stderr).toEqual([0, 'streams\ncopied\n']);
});
