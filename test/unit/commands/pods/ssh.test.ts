import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { addressArguments, sshAddress } from '../../../../src/commands/pods/ssh-command.ts';
import { Failure } from '../../../../src/core/failure.ts';
import { berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';
import { expectNoKeyNoStack } from '../../../support/worlds/expect-run.ts';
import { json, pointedAt, serve } from '../../../support/servers/scripted-server.ts';

const DIRECT = { host: '203.0.113.7', port: 10022, username: 'root', command: 'ssh root@203.0.113.7 -p 10022' };
const PROXY = { host: 'ssh.example.test', port: 22, username: 'p1-64411c', command: 'ssh p1-64411c@ssh.example.test' };
const pod = (ssh: unknown, status = 'RUNNING') => ({ id: 'p1', name: 'lab', status, ssh });

/** Runs `berth pods ssh` against a service with one pod. A program named ssh records its arguments. */
async function ssh(document: unknown, flags: readonly string[]): Promise<Ran & { readonly given: string | undefined }> {
  const server = await serve([json(document)]);
  const world = createTestWorld();
  const [program, log] = [join(world.directory, 'ssh'), join(world.directory, 'given')];
  writeFileSync(program, `#!/bin/sh\nfor each in "$@"; do echo "<$each>"; done > "${log}"\nexit 7\n`);
  chmodSync(program, 0o755);
  const env = { ...world.env, ...pointedAt(server.url), PATH: `${world.directory}:${world.env['PATH'] ?? ''}` };
  const ran = await berthIn({ ...world, env }, ['pods', 'ssh', 'p1', ...flags]);
  expectNoKeyNoStack(ran);
  return { ...ran, given: existsSync(log) ? readFileSync(log, 'utf8') : undefined };
}

/** Without the options that say which host keys are trusted. */
const withoutTrust = (given: string | undefined): string => (given ?? '').replace(/<-o>\n<.*>\n/g, '');

describe('pods ssh', () => {
  it('runs ssh with the direct address and ends with its exit code', async () => {
    const { code, out, given } = await ssh(pod({ direct: DIRECT, proxy: PROXY }), []);
    expect([code, out]).toEqual([7, '']);
    expect(withoutTrust(given)).toBe('<-p>\n<10022>\n<root@203.0.113.7>\n');
    expect(given).toContain('<HostKeyAlias=berth.p1.>\n');
    expect(given).toContain('<StrictHostKeyChecking=accept-new>\n');
  });

  it.each([
    ['enters a pod of the local service, which has a server then', [], [0, true], ''],
    ['refuses its proxy, whose address belongs to nobody', ['--proxy'], [2, false], 'has no SSH server'],
  ])('%s', async (_, flags, [exit, isRun], said) => {
    const world = createTestWorld();
    const [program, mark] = [join(world.directory, 'ssh'), join(world.directory, 'ran')];
    writeFileSync(program, `#!/bin/sh\ntouch "${mark}"\n`);
    chmodSync(program, 0o755);
    const env = { ...world.env, PATH: `${world.directory}:${world.env['PATH'] ?? ''}` };
    const { code, out, err } = await berthIn({ ...world, env }, ['--local', 'pods', 'ssh', 'pod-train', ...flags]);
    expect([code, out, existsSync(mark)]).toEqual([exit, '', isRun]);
    expect(err).toContain(said);
    if (!isRun) expect(err).toContain('berth --local pods restart pod-train --wait');
  });

  it.each([
    [255, true],
    [1, false],
  ])('names the command that explains the keys where ssh ended with %i: %s', async (exit, isSaid) => {
    const world = createTestWorld();
    writeFileSync(join(world.directory, 'ssh'), `#!/bin/sh\nexit ${exit}\n`, { mode: 0o755 });
    const env = { ...world.env, PATH: `${world.directory}:${world.env['PATH'] ?? ''}` };
    const { code, err } = await berthIn({ ...world, env }, ['--local', 'pods', 'ssh', 'pod-train']);
    expect([code, err.includes('Key refused?')]).toEqual([exit, isSaid]);
    expect(err.includes('berth --local pods ssh pod-train --explain')).toBe(isSaid);
  });

  it('passes the words after -- to ssh unchanged', async () => {
    const { given } = await ssh(pod({ direct: DIRECT, proxy: null }), ['--', '-L', '1:h:2', 'echo "a  b"; ls']);
    expect(withoutTrust(given)).toBe('<-p>\n<10022>\n<root@203.0.113.7>\n<-L>\n<1:h:2>\n<echo "a  b"; ls>\n');
  });

  test.each([
    ['where it is asked for', { direct: DIRECT, proxy: PROXY }, ['--proxy']],
    ['where there is no direct address', { direct: null, proxy: PROXY }, []],
  ])('uses the proxy %s', async (_, addresses, flags) => {
    expect((await ssh(pod(addresses), flags)).given).toBe('<-p>\n<22>\n<p1-64411c@ssh.example.test>\n');
  });

  it('with --print prints a command line for a shell and runs nothing', async () => {
    const ran = await ssh(pod({ direct: DIRECT, proxy: null }), ['--print', '--', '-N', "it's a; word"]);
    expect([ran.code, ran.given]).toEqual([0, undefined]);
    expect(ran.out).toBe(`ssh -p 10022 root@203.0.113.7 -N 'it'\\''s a; word'\n`);
  });

  test.each([
    ['PROVISIONING', null, /berth pods wait p1/],
    ['STARTING', null, /berth pods wait p1/],
    ['EXITED', { direct: null, proxy: null }, /berth pods start p1 --wait/],
    ['TERMINATED', undefined, /berth pods list/],
    ['RUNNING', { direct: null, proxy: null }, /--start-ssh/],
    ['RUNNING', undefined, /--start-ssh/],
    ['SOMETHING_NEW', undefined, /--start-ssh/],
  ])('says what to do if a pod with status %s has no address', async (status, addresses, says) => {
    const { code, err, given } = await ssh(pod(addresses, status), []);
    expect([code, given]).toEqual([2, undefined]);
    expect(err).toContain(`it is ${status}`);
    expect(err).toMatch(says);
  });

  test.each<[string, object]>([
    ['a host that is an option', { host: '-oProxyCommand=touch x' }],
    ['a user that is an option', { username: '-oProxyCommand=x' }],
    ['a user with a space', { username: 'root -o' }],
    ['a host for a shell', { host: 'h$(id)' }],
    ['a port that is text', { port: '22 -oX' }],
    ['a port out of bounds', { port: 65_536 }],
    ['no host', { host: undefined }],
    ['no user', { username: '' }],
  ])('refuses %s, and runs nothing', async (_, odd) => {
    const { code, given } = await ssh(pod({ direct: { ...DIRECT, ...odd }, proxy: null }), ['--print']);
    expect([code, given]).toEqual([7, undefined]);
  });

  it('never passes a value of the service to ssh as an option', () => {
    const word = fc.oneof(fc.string(), fc.constantFrom('-oX', '--', ' -p', 'a b', 'h;x', '::1', 'root', 'h.test'));
    fc.assert(
      fc.property(word, word, fc.integer(), (host, username, port) => {
        try {
          const args = addressArguments(sshAddress({ host, username, port }, 'p1'));
          expect(args).toEqual(['-p', String(port), `${username}@${host}`]);
          expect(args[2]).toMatch(/^[\w][^\s'"`$;&|<>\\]*$/);
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
        }
      }),
    );
  });
});
