import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asId } from '../../../../../src/core/ids.ts';
import { trustOptions } from '../../../../../src/commands/pods/reach-pod.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../../support/worlds/test-world.ts';
import { json, pointedAt, problem, serve } from '../../../../support/servers/scripted-server.ts';
import { hasSsh, hasSshd, startSshd } from '../../../../support/servers/sshd.ts';

// How the paths and commands that reach pods are written on Windows. The tests run on other systems, where a backslash is a
// character of a name: so a file whose name is a path of Windows stands for the file at that path.

/** A world of Windows whose ssh reads the home folder of the user, and not HOME. */
function onWindows(env: Readonly<Record<string, string>> = {}): TestWorld & { readonly profile: string } {
  const world = createTestWorld({ platform: 'win32' });
  const profile = join(world.directory, 'profile');
  mkdirSync(join(profile, '.ssh'), { recursive: true });
  return { ...world, profile, env: { ...world.env, USERPROFILE: profile, ...env } };
}

const POD = {
  ...{ id: 'p1', name: 'lab', status: 'RUNNING', startedAt: '2026-11-24T10:00:00Z', ports: ['22/tcp'], env: {} },
  ssh: { direct: { host: '127.0.0.1', port: 10022, username: 'root', command: '' }, proxy: null },
};

test('the file that ssh reads is that of the profile of the user, and keeps its ends of lines', async () => {
  const world = onWindows();
  const config = join(world.profile, '.ssh', 'config');
  writeFileSync(config, 'Host a\r\n  User b\r\n');
  const run = (flag: string): Promise<Ran> => berthIn(world, ['--local', 'pods', 'ssh-config', flag]);
  expect((await run('--install')).code).toBe(0);
  expect(readFileSync(config, 'utf8')).toBe('Include berth_config\r\nHost a\r\n  User b\r\n');
  expect(readFileSync(join(world.profile, '.ssh', 'berth_config'), 'utf8')).toContain('pods connect -- "%n"\n');
  expect(existsSync(join(world.directory, '.ssh'))).toBe(false);
  expect((await run('--uninstall')).code).toBe(0);
  expect(readFileSync(config, 'utf8')).toBe('Host a\r\n  User b\r\n');
  expect(readdirSync(join(world.profile, '.ssh'))).toEqual(['config']);
});

test.skipIf(!hasSsh)('ssh reads the path of the host keys with its backslashes, spaces and percent signs', () => {
  const file = 'C:\\Users\\Zoë 100%h\\AppData\\Local\\berth\\ssh\\known_hosts';
  const options = trustOptions({ id: asId<'pod'>('p1'), start: '2026-11-24T10:00:00Z' }, file);
  const { stdout } = spawnSync('ssh', ['-F', 'none', '-G', ...options, 'host'], { encoding: 'utf8' });
  expect(/^userknownhostsfile (.*)$/m.exec(stdout)?.[1]?.replaceAll('\\\\', '\\').replaceAll('%%', '%')).toBe(file);
});

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
    const world = onWindows(pointedAt(server.url));
    const { code, err } = await berthIn(world, ['pods', 'connect', host]);
    expect([code, err]).toEqual([2, expect.stringContaining('cannot be a host name')]);
  },
);

const KEY = `ssh-ed25519 ${Buffer.from('a key of a test').toString('base64')} me@laptop`;

/** Runs `pods ssh --explain`, with an ssh that names these files of keys as that of Windows does. */
async function explain(files: (world: TestWorld & { readonly profile: string }) => readonly string[]): Promise<Ran> {
  const server = await serve([json(POD), json({ keys: [KEY] })]);
  const world = onWindows(pointedAt(server.url));
  const settings = files(world).map((file) => `identityfile ${file}\r\n`);
  writeFileSync(join(world.directory, 'settings'), settings.join(''));
  writeFileSync(join(world.directory, 'ssh'), `#!/bin/sh\ncat "${join(world.directory, 'settings')}"\n`);
  writeFileSync(join(world.directory, 'ssh-add'), '#!/bin/sh\nexit 1\n');
  for (const name of ['ssh', 'ssh-add']) chmodSync(join(world.directory, name), 0o755);
  const env = { ...world.env, PATH: `${world.directory}:${world.env['PATH'] ?? ''}` };
  return await berthIn({ ...world, env }, ['pods', 'ssh', 'p1', '--explain']);
}

test('keys are found below the profile of the user, with either slash after the ~', async () => {
  const { code, out } = await explain(({ profile }) => {
    writeFileSync(join(profile, '.ssh', 'id_one.pub'), `${KEY}\r\n`);
    writeFileSync(`${profile}\\.ssh\\id_two.pub`, `${KEY}\r\n`);
    return ['~/.ssh/id_one', '~\\.ssh\\id_two', '~/.ssh/id_missing'];
  });
  expect(code).toBe(0);
  expect(out.match(/fits +SHA256:\S+ +me@laptop .*id_(one|two)\.pub/g)).toHaveLength(2);
});

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

test.skipIf(!hasSshd)(
  'pods cp takes paths with drives and backslashes on this side, and none on the other',
  async () => {
    const sshd = await startSshd();
    const server = await serve([
      json({ ...POD, ssh: { direct: { ...POD.ssh.direct, port: sshd.port, username: sshd.user }, proxy: null } }),
    ]);
    const world = onWindows({ ...pointedAt(server.url), ...sshd.env });
    const here = (name: string): string => join(world.directory, name);
    const cp = (...words: readonly string[]): Promise<Ran> => berthIn(world, ['pods', 'cp', ...words]);
    writeFileSync(here('C:\\data\\a b.bin'), 'content');
    mkdirSync(here('C:\\tree'));
    writeFileSync(here('C:\\tree/x.txt'), 'of the tree');
    const sent = await cp('C:\\data\\a b.bin', `p1:${sshd.folder}/new/`);
    expect(sent.code, sent.err).toBe(0);
    expect(sha256(readFileSync(join(sshd.folder, 'new/a b.bin')))).toBe(sha256(Buffer.from('content')));
    expect((await cp('-r', 'C:\\tree', `p1:${sshd.folder}/named/`)).code).toBe(0);
    expect(readdirSync(join(sshd.folder, 'named'))).toEqual(['x.txt']);
    mkdirSync(here('C:\\back'));
    const back = await cp(`p1:${sshd.folder}/new/a b.bin`, 'C:\\back');
    expect(back.code, back.err).toBe(0);
    expect(readFileSync(here('C:\\back/a b.bin'), 'utf8')).toBe('content');
    // A file of a pod whose name Windows has not, or would read as a path.
    for (const name of ['con', 'a:b', 'back\\slash', 'ends.', 'fine'])
      writeFileSync(join(sshd.folder, 'named', name), '');
    const odd = await cp('-r', `p1:${sshd.folder}/named/`, 'C:\\odd');
    expect([odd.code, odd.out.match(/Windows does not allow this name/g)?.length]).toEqual([14, 4]);
    expect(readdirSync(here('C:\\odd')).toSorted()).toEqual(['fine', 'x.txt']);
  },
);
