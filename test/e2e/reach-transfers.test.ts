import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { folderWithKey, LAB, sshTest } from './pods-support.ts';
import { localExec } from './workers/support.ts';

const PROGRAMS: Readonly<Record<string, string>> = {
  git: `
ssh lab.berth 'git init -q repo && cd repo && echo one > one && git add one && git -c user.name=a -c user.email=a@example.com commit -qm one'
git clone -q lab.berth:repo 2> clone.txt
cmp repo/one - <<END && echo git
one
END
`,
  rsync: `
mkdir tree && echo a > tree/a && head -c 2000000 /dev/urandom > 'tree/b c'
rsync -rlpt tree/ lab.berth:tree/
echo more >> tree/a
rsync -rlpt tree/ lab.berth:tree/
rsync -rlpt lab.berth:tree/ back/
diff -r tree back && echo rsync
`,
  scp: `
scp -q big lab.berth:there && ssh lab.berth cat there | cmp big - && echo sent
scp -q lab.berth:there received && cmp big received && echo scp
`,
};

sshTest('files go to pods and come back, by programs that know a pod by its name and by berth itself', async () => {
  const present = Object.keys(PROGRAMS).filter((name) => spawnSync(name, ['--version']).error === undefined);
  const folder = await folderWithKey();
  const { code, stdout, stderr } = await localExec(
    folder,
    [],
    `${LAB}
berth pods ssh-config --install
head -c 30000000 /dev/urandom > big
${present.map((name) => PROGRAMS[name]).join('')}
berth pods exec lab -- cat < big > streamed && cmp big streamed && echo streams
berth pods cp big lab: > table.txt
berth pods exec lab -- cat big | cmp - big && echo copied
`,
  );
  const said = present.map((name) => (name === 'scp' ? 'sent\nscp\n' : `${name}\n`)).join('');
  expect([code, stdout], stderr).toEqual([0, `${said}streams\ncopied\n`]);
});
