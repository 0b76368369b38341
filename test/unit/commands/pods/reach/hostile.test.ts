import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectNoKeyNoStack } from '../../../../support/worlds/expect-run.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';
import { json, pointedAt, serve } from '../../../../support/servers/scripted-server.ts';

// Names, hosts, users and ports of the service are data to every command that reaches a pod.

const DIRECT = { host: '203.0.113.7', port: 10022, username: 'root', command: '' };

const podWith = (direct: object, name = 'lab') => ({
  ...{ id: 'p1', name, status: 'RUNNING', startedAt: '2026-11-24T10:00:00Z', ports: ['22/tcp'] },
  ssh: { direct: { ...DIRECT, ...direct }, proxy: null },
});

const COMMANDS = {
  exec: ['exec', 'p1', '--', 'true'],
  'exec of several': ['exec', '--match', '*', '--', 'true'],
  'cp to a pod': ['cp', 'file', 'p1:file'],
  'cp from a pod': ['cp', 'p1:file', 'file'],
  forward: ['forward', 'p1', '0:8888'],
  ssh: ['ssh', 'p1'],
  connect: ['connect', 'p1.berth'],
} as const;

/** Runs a command; a program named ssh records its arguments, each on a line, and fails. */
async function run(pod: object, argv: readonly string[]): Promise<Ran & { readonly given: string | undefined }> {
  const server = await serve([
    ({ arrival, ...rest }) => {
      json(arrival.url.endsWith('/p1') ? pod : { pods: [pod] })({ arrival, ...rest });
    },
  ]);
  const world = createTestWorld();
  const at = (name: string): string => join(world.directory, name);
  writeFileSync(at('file'), 'content');
  writeFileSync(at('ssh'), `#!/bin/sh\nprintf '<%s>\\n' "$@" >> "${at('given')}"\nexit 255\n`);
  chmodSync(at('ssh'), 0o755);
  const env = { ...world.env, ...pointedAt(server.url), PATH: `${world.directory}:${world.env['PATH'] ?? ''}` };
  const words = argv.map((word) => (word === 'file' ? at('file') : word));
  const ran = await berthIn({ ...world, env }, ['pods', ...words]);
  expectNoKeyNoStack(ran);
  return { ...ran, given: existsSync(at('given')) ? readFileSync(at('given'), 'utf8') : undefined };
}

const HOSTILE: readonly object[] = [
  ...[
    '-oProxyCommand=touch x',
    'a b',
    "a'b",
    'a"b',
    'a\nb',
    'a;touch x',
    '$(touch x)',
    '`x`',
    '%h',
    'a%n',
    'a/../b',
    'a@b',
    '-',
    '',
    'a\u0000b',
    7,
    null,
  ].map((host) => ({ host })),
  ...['-l', 'root x', "ro'ot", 'root\nProxyCommand x', '%r', '$(id)', 'a:b', 'a/b', '', null].map((username) => ({
    username,
  })),
  ...[0, -1, 22.5, 65_536, '22', '22 -oProxyCommand=x', null].map((port) => ({ port })),
];

test.each(Object.entries(COMMANDS))('pods %s runs nothing for a hostile host, user or port', async (_, argv) => {
  // What reads the address is one function: the others meet every seventh.
  for (const direct of HOSTILE.filter((_, at) => argv === COMMANDS.exec || at % 7 === 0)) {
    const { code, err, given } = await run(podWith(direct), argv);
    expect({ direct, code, given, err }).toEqual({
      ...{ direct, code: 7, given: undefined },
      err: expect.stringMatching(/the service gives pod p1 an invalid SSH address/) as string,
    });
  }
});

const NAMES = [
  '-oProxyCommand=touch x',
  "a'b",
  'a\nb',
  '\u001b[31mred',
  '%n%h',
  '../../x',
  '$(touch x)',
  'a"b',
  '\u202Ered',
];

test.each(Object.entries(COMMANDS).filter(([command]) => command !== 'connect'))(
  'pods %s gives the name of a pod to no program, and no control character of it to the terminal',
  async (_, argv) => {
    for (const name of NAMES) {
      const { out, err, given = '' } = await run(podWith({}, name), argv);
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
