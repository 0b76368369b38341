import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { json, pointedAt, problem, serve } from '../../../../support/servers/scripted-server.ts';
import { hasSshd } from '../../../../support/servers/sshd.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';
import { DIRECT, podWith, reachedPod, withPrograms } from './pod-world.ts';

// How the paths and commands that reach pods are written on Windows. The tests run on other systems, where a backslash is a
// character of a name: so a file whose name is a path of Windows stands for the file at that path.

const POD = podWith({ direct: DIRECT, proxy: null }, { env: {} });

test.each(['c:x.berth', 'con.berth', 'a?b.berth', 'a"b.berth'])(
  'the host %j, which is no name of a file there, gets no file of host keys',
  async (host) => {
    const name = host.slice(0, -'.berth'.length);
    const server = await serve([
      (exchange) => {
        const { url } = exchange.arrival;
        const found = /\/pods(\?|$)/.test(url) ? { pods: [{ ...POD, name }] } : { ...POD, name };
        (url.includes('/pods/') && !url.endsWith('/p1') ? problem(404, 'no such pod') : json(found))(exchange);
      },
    ]);
    const world = createTestWorld({ platform: 'win32', env: pointedAt(server.url) });
    const { code, err } = await berthIn(world, ['pods', 'connect', host]);
    expect([code, err]).toEqual([2, expect.stringContaining('cannot be a host name')]);
  },
);

const KEY = `ssh-ed25519 ${Buffer.from('a key of a test').toString('base64')} me@laptop`;

test('keys are found below the profile of the user, with either slash after the ~', async () => {
  const server = await serve([json(POD), json({ keys: [KEY] })]);
  const world = createTestWorld({ platform: 'win32', env: pointedAt(server.url) });
  const profile = join(world.directory, 'profile');
  mkdirSync(join(profile, '.ssh'), { recursive: true });
  writeFileSync(join(profile, '.ssh', 'id_one.pub'), `${KEY}\r\n`);
  writeFileSync(`${profile}\\.ssh\\id_two.pub`, `${KEY}\r\n`);
  const files = ['~/.ssh/id_one', '~\\.ssh\\id_two', '~/.ssh/id_missing'].map((file) => `identityfile ${file}\r\n`);
  writeFileSync(join(world.directory, 'settings'), files.join(''));
  const found = withPrograms(world, { ssh: `cat "${world.directory}/settings"`, 'ssh-add': 'exit 1' });
  const env = { ...found.env, USERPROFILE: profile };
  const { code, out } = await berthIn({ ...found, env }, ['pods', 'ssh', 'p1', '--explain']);
  expect([code, out.match(/fits +SHA256:\S+ +me@laptop .*id_(one|two)\.pub/g)?.length]).toEqual([0, 2]);
});

test.skipIf(!hasSshd)(
  'pods cp takes paths with drives and backslashes on this side, and none on the other',
  async () => {
    const { sshd, world, pods } = await reachedPod([], { platform: 'win32' });
    const here = (name: string): string => join(world.directory, name);
    writeFileSync(here('C:\\data\\a b.bin'), 'content');
    mkdirSync(here('C:\\tree'));
    writeFileSync(here('C:\\tree/x.txt'), 'of the tree');
    const sent = await pods('cp', 'C:\\data\\a b.bin', `p1:${sshd.folder}/new/`);
    expect(sent.code, sent.err).toBe(0);
    expect(readFileSync(join(sshd.folder, 'new/a b.bin'), 'utf8')).toBe('content');
    expect((await pods('cp', '-r', 'C:\\tree', `p1:${sshd.folder}/named/`)).code).toBe(0);
    expect(readdirSync(join(sshd.folder, 'named'))).toEqual(['x.txt']);
    mkdirSync(here('C:\\back'));
    const back = await pods('cp', `p1:${sshd.folder}/new/a b.bin`, 'C:\\back');
    expect(back.code, back.err).toBe(0);
    expect(readFileSync(here('C:\\back/a b.bin'), 'utf8')).toBe('content');
    // A file of a pod whose name Windows has not, or would read as a path.
    for (const name of ['con', 'a:b', 'back\\slash', 'ends.', 'fine'])
      writeFileSync(join(sshd.folder, 'named', name), '');
    const odd = await pods('cp', '-r', `p1:${sshd.folder}/named/`, 'C:\\odd');
    expect([odd.code, odd.out.match(/Windows does not allow this name/g)?.length]).toEqual([14, 4]);
    expect(readdirSync(here('C:\\odd')).toSorted()).toEqual(['fine', 'x.txt']);
  },
);
