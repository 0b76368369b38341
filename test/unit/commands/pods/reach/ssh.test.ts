import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectNoKeyNoStack } from '../../../../support/worlds/expect-run.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';
import { json, pointedAt, serve } from '../../../../support/servers/scripted-server.ts';
import { DIRECT, podWith as pod, withPrograms, written } from './pod-world.ts';

// What the ssh of the user is given. Names, hosts, users and ports of the service are data to every command that reaches a pod.

const PROXY = { host: 'ssh.example.test', port: 22, username: 'p1-64411c', command: 'ssh p1-64411c@ssh.example.test' };

/** Runs a command; programs named ssh and ssh-add record their arguments, each on a line, and their environment. */
async function run(
  document: object | undefined,
  argv: readonly string[],
  exit = 255,
): Promise<Ran & { readonly given: string | undefined; readonly environment: string }> {
  const server = await serve([
    (exchange) => {
      const { url } = exchange.arrival;
      json(url.endsWith('/ssh-keys') ? { keys: [] } : url.endsWith('/p1') ? document : { pods: [document] })(exchange);
    },
  ]);
  const world = createTestWorld({ env: document === undefined ? { BERTH_LOCAL: '1' } : pointedAt(server.url) });
  writeFileSync(join(world.directory, 'file'), 'content');
  const at = world.directory;
  const script = `printf '<%s>\\n' "$@" >> "${at}/given"; env >> "${at}/environment"; exit ${String(exit)}`;
  const ran = await berthIn(withPrograms(world, { ssh: script, 'ssh-add': script }), ['pods', ...argv]);
  expectNoKeyNoStack(ran);
  return { ...ran, given: written(world, 'given'), environment: written(world, 'environment') ?? '' };
}

/** Without the options that say which host keys are trusted. */
const withoutTrust = (given: string | undefined): string => (given ?? '').replace(/<-o>\n<.*>\n/g, '');

describe('pods ssh', () => {
  test('runs ssh with the direct address and ends with its exit code', async () => {
    const { code, out, given } = await run(pod({ direct: DIRECT, proxy: PROXY }), ['ssh', 'p1'], 7);
    expect([code, out]).toEqual([7, '']);
    expect(withoutTrust(given)).toBe('<-p>\n<10022>\n<root@203.0.113.7>\n');
    expect(given).toContain('<HostKeyAlias=berth.p1.2026-11-24T100000Z>\n');
    expect(given).toContain('<StrictHostKeyChecking=accept-new>\n');
  });

  test('enters a pod of the local service, but not by its proxy, whose address belongs to nobody', async () => {
    expect((await run(undefined, ['ssh', 'pod-train'], 0)).given).toContain('root@127.0.0.1');
    const refused = await run(undefined, ['ssh', 'pod-train', '--proxy'], 0);
    expect([refused.code, refused.given]).toEqual([2, undefined]);
    expect(refused.err).toMatch(/has no SSH server[^]*berth --local pods restart pod-train --wait/);
  });

  test('names the command that explains the keys where ssh fails', async () => {
    const { code, err } = await run(pod({ direct: DIRECT, proxy: null }), ['ssh', 'p1'], 255);
    expect([code, err]).toEqual([255, 'Key refused? Run berth pods ssh p1 --explain\n']);
  });

  test('passes the words after -- to ssh unchanged', async () => {
    const words = ['-L', '1:h:2', 'echo "a  b"; ls'];
    const { given } = await run(pod({ direct: DIRECT, proxy: null }), ['ssh', 'p1', '--', ...words]);
    expect(withoutTrust(given)).toBe('<-p>\n<10022>\n<root@203.0.113.7>\n<-L>\n<1:h:2>\n<echo "a  b"; ls>\n');
  });

  test.each([
    ['where it is asked for', { direct: DIRECT, proxy: PROXY }, ['--proxy']],
    ['where there is no direct address', { direct: null, proxy: PROXY }, []],
  ])('uses the proxy %s', async (_, addresses, flags) => {
    expect((await run(pod(addresses), ['ssh', 'p1', ...flags])).given).toBe(
      '<-p>\n<22>\n<p1-64411c@ssh.example.test>\n',
    );
  });

  test('with --print prints a command line for a shell and runs nothing', async () => {
    const words = ['ssh', 'p1', '--print', '--', '-N', "it's a; word"];
    const ran = await run(pod({ direct: DIRECT, proxy: null }), words);
    expect([ran.code, ran.given]).toEqual([0, undefined]);
    expect(ran.out).toBe(`ssh -p 10022 root@203.0.113.7 -N 'it'\\''s a; word'\n`);
  });

  test.each([
    ['PROVISIONING', null, /berth pods wait p1/],
    ['EXITED', { direct: null, proxy: null }, /berth pods start p1 --wait/],
    ['TERMINATED', undefined, /berth pods list/],
    ['RUNNING', { direct: null, proxy: null }, /--start-ssh/],
    ['SOMETHING_NEW', undefined, /--start-ssh/],
  ])('says what to do if a pod with status %s has no address', async (status, addresses, says) => {
    const { code, err, given } = await run(pod(addresses, { status }), ['ssh', 'p1']);
    expect([code, given]).toEqual([2, undefined]);
    expect(err).toContain(`it is ${status}`);
    expect(err).toMatch(says);
  });
});

/** The commands that need a direct address. */
const REACHING = {
  exec: ['exec', 'p1', '--', 'true'],
  'cp to a pod': ['cp', 'file', 'p1:file'],
  'cp from a pod': ['cp', 'p1:file', 'file'],
  forward: ['forward', 'p1', '0:8888'],
  connect: ['connect', 'p1.berth'],
} as const;

test.each(Object.entries(REACHING))('pods %s to a pod without a direct address runs nothing', async (_, argv) => {
  for (const [document, says] of [
    [
      pod({ direct: null, proxy: PROXY }, { ports: ['8888/http'] }),
      /it is RUNNING and has no SSH address[^]*--start-ssh/,
    ],
    [pod(null, { status: 'EXITED' }), /it is EXITED[^]*Run berth pods start p1 --wait/],
  ] as const) {
    const { code, err, given } = await run(document, argv);
    expect([code, given, err]).toEqual([2, undefined, expect.stringMatching(says)]);
  }
});

const COMMANDS = {
  ...REACHING,
  'exec of several': ['exec', '--match', '*', '--', 'true'],
  ssh: ['ssh', 'p1'],
  'ssh by the proxy': ['ssh', 'p1', '--proxy'],
  'ssh --explain': ['ssh', 'p1', '--explain'],
} as const;

const HOSTILE: readonly object[] = [
  ...['-oProxyCommand=touch x', 'a b', "a'b", 'a"b', 'a\nb', 'a;touch x', '$(touch x)', '`x`', '%h', 'a%n', 'a/../b'],
  ...['a@b', '-', '', 'a\u0000b', 7, null],
].map((host) => ({ host }));
const USERS = ['-l', 'root x', "ro'ot", 'root\nProxyCommand x', '%r', '$(id)', 'a:b', 'a/b', '', null];
const PORTS = [0, -1, 22.5, 65_536, '22', '22 -oProxyCommand=x', null];
const ODD = [...HOSTILE, ...USERS.map((username) => ({ username })), ...PORTS.map((port) => ({ port }))];

test.each(Object.entries(COMMANDS).filter(([name]) => !/proxy|explain/.test(name)))(
  'pods %s runs nothing for a hostile host, user or port',
  async (_, argv) => {
    // What reads the address is one function: the others meet every seventh.
    for (const odd of ODD.filter((__, at) => argv === COMMANDS.exec || at % 7 === 0)) {
      const { code, err, given } = await run(pod({ direct: { ...DIRECT, ...odd }, proxy: null }), argv);
      expect({ odd, code, given, err }).toEqual({
        ...{ odd, code: 7, given: undefined },
        err: expect.stringMatching(/the service gives pod p1 an invalid SSH address/) as string,
      });
    }
  },
);

const NAMES = ['-oProxyCommand=touch x', "a'b\nb", '\u001b[31mred', '../%n%h', '$(touch x)', '\u202Ered'];

test.each(Object.entries(COMMANDS).filter(([name]) => !/proxy|explain|connect/.test(name)))(
  'pods %s gives the name of a pod to no program, and no control character of it to the terminal',
  async (_, argv) => {
    for (const name of NAMES) {
      const { out, err, given = '' } = await run(pod({ direct: DIRECT, proxy: null }, { name }), argv);
      expect({ name, given }).toEqual({ name, given: expect.stringContaining('root@203.0.113.7') as string });
      expect(given).not.toContain(name);
      // oxlint-disable-next-line no-control-regex -- these are what must not be there; a tab is between the columns of a table
      expect({ name, printed: /[\u0000-\u0008\u000b-\u001f\u202e]/.exec(out + err)?.[0] }).toEqual({
        name,
        printed: undefined,
      });
      expect(out + err).not.toContain('\nb');
    }
  },
);

test.each(Object.entries(COMMANDS).filter(([name]) => name !== 'connect'))(
  'the key of the API is not in the environment of the ssh of pods %s',
  async (_, argv) => {
    const { environment } = await run(pod({ direct: DIRECT, proxy: PROXY }), argv);
    expect(environment).toContain('PATH=');
    expect(environment).not.toContain('API_KEY');
    expect(environment).not.toContain(pointedAt('')['BERTH_API_KEY']);
  },
);
