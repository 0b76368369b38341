import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lab, hashOf, hashes, hardTree, partials } from '../../../../support/servers/copy-lab.ts';
import { hasSshd } from '../../../../support/servers/sshd.ts';
import { type Ran } from '../../../../support/worlds/run-berth.ts';

const sshdTest = test.skipIf(!hasSshd);

sshdTest('200 files with hard names go to a pod and come back the same', async () => {
  const { world, at, cp } = await lab();
  const tree = join(world.directory, 'tree');
  hardTree(tree);
  expect(Object.keys(hashes(tree)).length).toBe(200);
  const sent = await cp('-r', 'tree', `p1:${at('tree')}`);
  expect([sent.code, sent.err], sent.out + sent.err).toEqual([0, expect.stringContaining('copied 200 files')]);
  expect(hashes(at('tree'))).toEqual(hashes(tree));
  expect((await cp('-r', `p1:${at('tree')}/`, 'back')).code).toBe(0);
  expect(hashes(join(world.directory, 'back'))).toEqual(hashes(tree));
  expect([...partials(at('')), ...partials(world.directory)]).toEqual([]);
});

sshdTest('a file keeps its mode and time, and goes into a folder, or one that is named with a slash', async () => {
  const { world, at, cp } = await lab();
  const here = (name: string): string => join(world.directory, name);
  writeFileSync(here('run.sh'), 'echo');
  chmodSync(here('run.sh'), 0o750);
  utimesSync(here('run.sh'), 1_700_000_000, 1_700_000_000);
  expect((await cp('run.sh', `p1:${at('named')}`)).code).toBe(0);
  expect((await cp('run.sh', `p1:${at('new/folder')}/`)).code).toBe(0);
  expect((await cp('run.sh', `p1:${at('new')}`)).code).toBe(0);
  expect(readdirSync(at('new')).sort()).toEqual(['folder', 'run.sh']);
  expect((await cp(`p1:${at('named')}`, 'back/')).code).toBe(0);
  expect((await cp(`p1:${at('named')}`, 'back')).code).toBe(0);
  for (const path of [at('named'), at('new/folder/run.sh'), here('back/named')])
    expect([statSync(path).mode & 0o777, statSync(path).mtimeMs]).toEqual([0o750, 1_700_000_000_000]);
  expect((await cp('run.sh', `p1:${at('named')}`, `p1:${at('all')}`)).err).toContain('from a pod to this machine');
  writeFileSync(here('-x'), 'dash');
  expect((await cp('run.sh', './-x', `p1:${at('all')}`)).code).toBe(0);
  expect(readdirSync(at('all')).sort()).toEqual(['-x', 'run.sh']);
});

sshdTest.each(['up', 'down'])('a folder (%s) becomes the target, and joins one that is there', async (direction) => {
  const { world, at, cp } = await lab();
  const here = (name: string): string => join(world.directory, name);
  const [source, target] = direction === 'up' ? [here, at] : [at, here];
  const copy = (from: string, to: string): Promise<Ran> =>
    direction === 'up' ? cp('-r', here(from), `p1:${at(to)}`) : cp('-r', `p1:${at(from)}`, here(to));
  mkdirSync(source('d/sub/deep'), { recursive: true });
  writeFileSync(source('d/sub/deep/one'), 'new');
  writeFileSync(source('d/.hidden'), 'h');
  symlinkSync('/etc/passwd', source('d/absolute'));
  symlinkSync('../outside', source('d/sub/relative'));
  symlinkSync('sub', source('d/to-folder'));
  expect((await copy('d', 'same')).code).toBe(0);
  expect(readdirSync(target('same')).sort()).toEqual(['.hidden', 'absolute', 'sub', 'to-folder']);
  expect(['absolute', 'sub/relative', 'to-folder'].map((name) => readlinkSync(target(`same/${name}`)))).toEqual([
    '/etc/passwd',
    '../outside',
    'sub',
  ]);
  writeFileSync(target('same/sub/other'), 'stays');
  writeFileSync(target('same/sub/deep/one'), 'old');
  mkdirSync(target('elsewhere'));
  unlinkSync(target('same/to-folder'));
  symlinkSync(target('elsewhere'), target('same/to-folder'));
  expect((await copy('d/', 'same/')).code).toBe(0);
  expect(hashes(target('same/sub'))).toEqual({ ...hashes(source('d/sub')), other: hashOf('stays') });
  expect([readlinkSync(target('same/to-folder')), readdirSync(target('elsewhere'))]).toEqual(['sub', []]);
  mkdirSync(source('f/sub/deep/one'), { recursive: true });
  const refused = await copy('f', 'same');
  expect([refused.code, refused.err]).toEqual([
    direction === 'up' ? 5 : 14,
    expect.stringMatching(/deep\/one is not a folder/),
  ]);
  expect(partials(target('same'))).toEqual([]);
  expect((await cp(direction === 'up' ? here('d') : `p1:${at('d')}`, direction === 'up' ? 'p1:x' : 'x')).err).toContain(
    'is a folder',
  );
});

sshdTest('a link that is named is followed, and what is no file is skipped by name', async () => {
  const { world, at, cp } = await lab();
  mkdirSync(join(world.directory, 'd'));
  writeFileSync(join(world.directory, 'd/one'), '1');
  execFileSync('mkfifo', [join(world.directory, 'd/pipe'), at('pipe')]);
  symlinkSync('d', join(world.directory, 'link'));
  symlinkSync('d/one', join(world.directory, 'one'));
  const sent = await cp('-r', 'link', 'one', `p1:${at('all')}`);
  expect([sent.code, sent.err]).toEqual([0, expect.stringContaining('skipped link/pipe: not a regular file')]);
  expect(hashes(at('all'))).toEqual({ 'link/one': hashOf('1'), one: hashOf('1') });
  symlinkSync('all', at('link'));
  symlinkSync('all/one', at('one'));
  expect((await cp('-r', `p1:${at('link')}`, 'x')).code).toBe(0);
  const named = await cp(`p1:${at('one')}`, 'y');
  expect(named.code, named.err).toBe(0);
  expect([hashes(join(world.directory, 'x')), lstatSync(join(world.directory, 'y')).isFile()]).toEqual([
    hashes(at('all')),
    true,
  ]);
  expect((await cp('d/pipe', `p1:${at('x')}`)).code).toBe(14);
  const onto = await cp('one', `p1:${at('pipe')}`);
  expect([onto.code, onto.err]).toEqual([5, expect.stringContaining('not a regular file')]);
});

sshdTest('what is missing or may not be read is named, and nothing is made of it', async () => {
  const { world, at, cp } = await lab();
  expect([(await cp(`p1:${at('missing')}`, 'new/x')).code, existsSync(join(world.directory, 'new'))]).toEqual([
    4,
    false,
  ]);
  writeFileSync(join(world.directory, 'one'), '1');
  expect((await cp('one', 'missing', `p1:${at('all')}`)).code).toBe(4);
  expect(readdirSync(at('all'))).toEqual(['one']);
  expect((await cp('one', `p1:${at('all/one/x')}`)).code).toBe(5);
});
