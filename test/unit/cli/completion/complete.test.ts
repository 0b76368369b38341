import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../support/worlds/test-world.ts';
import { KEY, serve } from '../../../support/servers/http-server.ts';
import type { ScriptedServer } from '../../../support/servers/scripted-server.ts';

/** The values that are offered after the words; the last word is the unfinished one. */
async function offered(words: readonly string[], world: TestWorld = createTestWorld()): Promise<readonly string[]> {
  const { out } = await berthIn(world, ['__complete', 'zsh', ...words]);
  return out
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split('\t')[0] ?? '');
}

/** What the shell is told to do, and what stands before the file's name. */
const kindOf = async (...words: readonly string[]): Promise<string> =>
  (await berth(['__complete', 'zsh', ...words])).out.split('\n')[0] ?? '';

const POD = { id: 'pod-1', name: 'one', status: 'RUNNING', cost: 1.5 };

const servePods = (pods: readonly object[] = [POD]): Promise<ScriptedServer> =>
  serve((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ pods }));
  });

const worldOf = ({ url }: ScriptedServer): TestWorld =>
  createTestWorld({ env: { BERTH_BASE_URL: url, BERTH_API_KEY: KEY } });

const listsOf = (world: TestWorld): string => join(world.directory, '.local/share/berth/remembered/lists-default.json');

describe('the words of a command line', () => {
  it('are nouns, verbs and flags', async () => {
    expect(await offered([''])).toEqual(expect.arrayContaining(['pods', 'help']));
    expect(await offered(['pods', ''])).toEqual(expect.arrayContaining(['list', 'terminate']));
    expect(await offered(['--profile', 'pods', 'jobs', ''])).toContain('stream');
    expect(await offered(['jobs', 'run', 'echo', '--'])).toEqual(expect.arrayContaining(['--low-priority', '--json']));
  });

  it('are the values of the setting that `config set` names', async () => {
    expect(await offered(['config', 'set', 'access', ''])).toEqual(['read', 'write', 'full']);
    expect(await offered(['config', 'set', 'output', 'js'])).toEqual(expect.arrayContaining(['json', 'jsonl']));
    expect(await offered(['config', 'set', 'timeout', ''])).toEqual([]);
  });

  it('leave out a flag that is given, unless it may be repeated', async () => {
    expect(await offered(['pods', 'create', '--name', 'x', '--'])).not.toContain('--name');
    expect(await offered(['pods', 'create', '--env', 'A=1', '--'])).toContain('--env');
  });

  it('are none after --, for an unknown verb, and for a value that is free text', async () => {
    expect(await offered(['pods', 'get', '--', '-'])).toEqual([]);
    expect(await offered(['local', 'exec', 'sh', '--'])).toEqual([]);
    expect(await offered(['local', 'exec', '--'])).toContain('--endpoint');
    expect(await offered(['pods', 'fly', ''])).toEqual([]);
    expect(await offered(['volumes', 'create', '--name', ''])).toEqual([]);
    expect(await offered(['volumes', 'create', '--nothing=', ''])).toEqual([]);
  });

  it('leave out values that are already in the word', async () => {
    expect(await offered(['pods', 'list', '--status', 'RUNNING,'])).not.toContain('RUNNING,RUNNING');
    expect(await offered(['pods', 'list', '--status=RUNNING,'])).toContain('--status=RUNNING,EXITED');
  });

  it.each([
    [['jobs', 'run', 'echo', '--input', '@x'], 'files\t@'],
    [['jobs', 'run', 'echo', '--input', '{'], 'words\t'],
    [['local', 'serve', '--endpoint', 'mine=han'], 'files\tmine='],
    [['local', 'exec', '--', 'no'], 'commands\t'],
    [['local', 'exec', '--', 'node', 'te'], 'files\t'],
    [['jobs', 'batch', 'status', ''], 'files\t'],
  ])('are files where files belong: %j', async (words, kind) => {
    expect(await kindOf(...words)).toBe(kind);
  });
});

describe('ids and names of the service', () => {
  it('are asked of the service, and offered with what describes them', async () => {
    const server = await servePods();
    const world = worldOf(server);
    const { out } = await berthIn(world, ['__complete', 'fish', 'pods', 'get', '']);
    expect(out).toBe('words\t\npod-1\tone, RUNNING, $1.50/h\none\tpod-1, RUNNING, $1.50/h\n');
    expect(server.seen).toHaveLength(1);
    expect(statSync(listsOf(world)).mode & 0o777).toBe(0o600);
  });

  it('are kept for a minute, and until a command has changed something', async () => {
    const server = await servePods();
    const world = worldOf(server);
    const asked = async (): Promise<number> => {
      const before = server.seen.length;
      expect(await offered(['pods', 'get', ''], world)).toEqual(['pod-1', 'one']);
      return server.seen.length - before;
    };
    expect(await asked()).toBe(1);
    world.clock.advance(60_000);
    expect(await asked()).toBe(0);
    world.clock.advance(1);
    expect(await asked()).toBe(1);
    await berthIn(world, ['pods', 'stop', 'pod-1']);
    expect(await asked()).toBe(1);
  });

  it('belong to the profile and the key in the command line', async () => {
    const server = await servePods();
    const world = worldOf(server);
    const mine = world.env['BERTH_API_KEY'] ?? '';
    await offered(['pods', 'get', ''], world);
    expect(await offered(['--local', 'pods', 'get', ''], world)).toContain('pod-train');
    for (const key of ['another-key-0123456789', `x${mine.slice(1)}`]) {
      const before = server.seen.length;
      await offered(['pods', 'get', ''], { ...world, env: { ...world.env, BERTH_API_KEY: key } });
      expect(server.seen.length).toBe(before + 1);
    }
  });

  it('are never asked for without a key', async () => {
    const server = await servePods();
    const world: TestWorld = { ...worldOf(server), env: { BERTH_BASE_URL: server.url } };
    expect(await offered(['pods', 'get', ''], { ...world, home: world.directory })).toEqual([]);
    expect(server.seen).toEqual([]);
  });

  it('are silent where the service fails or the settings are broken', async () => {
    const server = await serve((response) => response.writeHead(500).end());
    const world = worldOf(server);
    expect(await berthIn(world, ['__complete', 'zsh', 'pods', 'get', ''])).toMatchObject({ out: 'words\t\n', err: '' });
    expect(server.seen).toHaveLength(1);
    const broken = ['__complete', 'zsh', '--profile', '/', 'pods', 'get', ''];
    expect((await berthIn(world, broken)).err).toBe('');
  });

  it.each([
    ['a control character', 'a\u001b[2J'],
    ['a line feed', 'a\nb'],
    ['a change of direction', 'a\u202eb'],
    ['a leading dash', '--all'],
    ['a tilde that a shell expands', '~root'],
  ])('have no name with %s', async (_, name) => {
    const world = worldOf(
      await servePods([
        { ...POD, name },
        { id: name, name: 'two' },
      ]),
    );
    expect(await offered(['pods', 'get', ''], world)).toEqual(['pod-1']);
  });

  it('have a name only where one resource has it', async () => {
    const world = worldOf(await servePods([POD, { ...POD, id: 'pod-2' }]));
    expect(await offered(['pods', 'get', ''], world)).toEqual(['pod-1', 'pod-2']);
    expect(await offered(['pods', 'stop', 'pod-1', ''], world)).toEqual(['pod-2']);
  });

  it.each([
    ['datacenters', ['pods', 'create', '--data-center', '']],
    ['gpus', ['pods', 'create', '--gpu', '']],
    ['cpus', ['pods', 'create', '--cpu', '']],
    ['gpus', ['endpoints', 'create', '--gpu-pool', '']],
  ])('are ids alone where a flag refuses names: %s', async (last, words) => {
    const row = { id: 'EU-1', pool: 'EU-1', name: 'Europe One' };
    const server = await serve((response) => {
      const body = { dataCenters: [row], gpus: [row], cpus: [row] };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const world = worldOf(server);
    const { out } = await berthIn(world, ['__complete', 'fish', ...words]);
    expect(server.seen[0]?.url).toContain(last);
    expect(out).toBe('words\t\nEU-1\tEurope One\n');
  });
});

describe('jobs', () => {
  it('are those that this machine submitted to the endpoint, the latest first', async () => {
    const world = createTestWorld({ env: { BERTH_LOCAL: '1' } });
    const ids: string[] = [];
    for (const endpoint of ['echo', 'echo', 'sleep'])
      ids.push((await berthIn(world, ['jobs', 'run', endpoint, '--input', '{}'])).out.trim());
    expect(await offered(['jobs', 'status', 'echo', ''], world)).toEqual([ids[1], ids[0]]);
    expect(await offered(['jobs', 'cancel', 'echo', ids[1] ?? '', ''], world)).toEqual([ids[0]]);
    for (const verb of ['wait', 'stream', 'retry', 'explain'])
      expect(await offered(['jobs', verb, 'echo', ''], world), verb).toEqual([ids[1], ids[0]]);
  });
});

describe('places on volumes', () => {
  it.each([
    [['files', 'ls', ''], /^paths\t\n(?=[^]*^datasets:)[^]*^vol-datasets:/m],
    [['files', 'cp', 'dat'], /^paths\t\n[^]*^datasets:/m],
    [['files', 'cp', './d'], /^files\t\n$/],
    [['files', 'cp', 'zzz'], /^files\t\n$/],
  ])(
    'are volumes with a colon that goes on, else files of this machine where they are meant: %j',
    async (words, out) => {
      expect((await berth(['__complete', 'fish', ...words], { env: { BERTH_LOCAL: '1' } })).out).toMatch(out);
    },
  );
});

describe('profiles and fields', () => {
  it('are known without the service', async () => {
    expect(await offered(['--profile', ''])).toContain('local');
    expect(await offered(['pods', 'list', '--fields', 'id,runtime.up'])).toContain('id,runtime.uptime');
  });
});
