import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { hasSshd, ordinaryUser, startSshd } from '../support/servers/sshd.ts';
import { serveLab } from './pods-support.ts';
import { berthPath, cleanEnvironment, runProgram, type Ended } from './support.ts';

// The commands that reach pods, against the server of OpenSSH that an ordinary user runs: root may do what nobody else may, so a test
// that root runs sees no refusal. `BERTH_SSHD_USER=NAME npm run unit -- pods/reach` runs the unit tests in the same way.

const USER = ordinaryUser();
if (USER === undefined) console.log('note: not run: no ordinary user with a shell, so no pod is entered as one');

const userTest = test.skipIf(!hasSshd || USER === undefined);

/** Runs a script of sh in which `lab` is a pod, `$FOLDER` is what its user may write, and `$USER_NAME` the user. */
async function inPod(script: string): Promise<Ended> {
  const sshd = await startSshd([], USER);
  const url = await serveLab(sshd);
  const clean = await cleanEnvironment({ BERTH_BASE_URL: url, BERTH_API_KEY: 'key-of-a-test' });
  const home = clean['HOME'] ?? '';
  sshd.configure([`User ${sshd.user}`, `Include "${home}/.ssh/berth_config"`]);
  const env = {
    ...clean,
    PATH: [sshd.env['PATH']?.split(':')[0], path.dirname(berthPath()), clean['PATH']].join(':'),
    FOLDER: sshd.folder,
    USER_NAME: sshd.user,
  };
  return await runProgram('sh', ['-e', '-c', script], { env, cwd: home });
}

userTest('pods exec and cp do as an ordinary user what that user may do, and say what it may not', async () => {
  const { code, stdout, stderr } = await inPod(`
test "$(berth pods exec lab -- id -un)" = "$USER_NAME" && echo the user
test "$(berth pods exec lab -- id -u)" != 0 && echo not root
for code in 3 255; do berth pods exec lab -- sh -c "exit $code" 2> said.txt || echo "code $?"; done
berth pods exec lab -- sh -c 'kill -TERM $$' 2> said.txt || echo "killed $?"
berth pods exec lab --cwd / --env A='1 2' -- sh -c 'pwd; echo "$A"; test -t 0 || echo no terminal'
head -c 20000000 /dev/urandom > big
berth pods exec lab -- cat < big > back && cmp big back && echo streams
mkdir -p "tree/a b" && echo one > "tree/a b/quo'te" && cp big tree
berth pods cp -r tree "lab:$FOLDER/tree" > table.txt
diff -r tree "$FOLDER/tree" && echo sent
berth pods cp -r "lab:$FOLDER/tree/" returned > table.txt
diff -r tree returned && echo returned
berth pods cp big lab:/etc/of-a-test > table.txt 2> refused.txt || echo "refused $?"
grep -q 'ermission' refused.txt table.txt && echo said
berth pods cp lab:/etc/shadow shadow > table.txt 2> refused.txt || echo "refused $?"
test -e shadow || echo nothing here
`);
  const said = `the user
not root
code 3
code 255
killed 143
/
1 2
no terminal
streams
sent
returned
refused 5
said
refused 5
nothing here
`;
  expect([code, stdout], stderr).toEqual([0, said]);
});

const canAll = ['rsync', 'git'].every((name) => spawnSync(name, ['--version']).error === undefined);
const nameTest = canAll ? userTest : test.skip;

nameTest('ssh, scp, rsync and git reach the pod of an ordinary user by its name', async () => {
  const { code, stdout, stderr } = await inPod(`
berth pods ssh-config --install 2> installed.txt
test "$(ssh lab.berth id -un)" = "$USER_NAME" && echo ssh
head -c 3000000 /dev/urandom > big
scp -q -S "$(command -v ssh)" big "lab.berth:$FOLDER/copied" && cmp big "$FOLDER/copied" && echo scp
mkdir tree && cp big tree && echo x > "tree/a b"
rsync -rlpt tree/ "lab.berth:$FOLDER/tree/" && rsync -rlpt "lab.berth:$FOLDER/tree/" back/ && diff -r tree back && echo rsync
ssh lab.berth "cd $FOLDER && git init -q repo && cd repo && echo one > one && git add one && git -c user.name=a -c user.email=a@example.com commit -qm one"
git clone -q "lab.berth:$FOLDER/repo" 2> clone.txt && cat repo/one
`);
  expect([code, stdout], stderr).toEqual([0, 'ssh\nscp\nrsync\none\n']);
});
