import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { json, KEY, pointedAt, serve } from '../support/servers/scripted-server.ts';
import { expectBlock, expectNoKeyNoStack } from '../support/worlds/expect-run.ts';
import { berthIn } from '../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../support/worlds/test-world.ts';

// Row 49 of docs/faults.md: files that berth believes, which another user owns or may change.

const ANOTHER_USER = 65_534;
const isRoot = process.geteuid?.() === 0;
const pod = json({ id: 'pod1', name: 'train', status: 'RUNNING' });

/** Another run of berth with the same files and environment. */
const sameFolder = ({ directory, env }: TestWorld): TestWorld => ({
  ...createTestWorld(),
  ...{ directory, env, cwd: directory, home: directory },
});

type Spoil = (path: string) => void;
const mode =
  (bits: number): Spoil =>
  (path) => {
    chmodSync(path, bits);
  };
const owner: Spoil = (path) => {
  chownSync(path, ANOTHER_USER, ANOTHER_USER);
};

/** How a file or directory is made another user's, and what the error says. Only root can give a file away. */
const FOREIGN: readonly (readonly [string, Spoil, RegExp])[] = [
  ['that everybody may change', mode(0o702), /may be changed by other users \(mode 0702\)/],
  ['that its group may change', mode(0o720), /may be changed by other users \(mode 0720\)/],
  ...(isRoot ? ([['of another user', owner, /belongs to another user \(number 65534\)/]] as const) : []),
];

/** A world with a profile whose address is that of a server, and the path of the profiles file. */
async function worldWithProfile(): Promise<{
  readonly world: TestWorld;
  readonly path: string;
  readonly seen: readonly { readonly url: string }[];
}> {
  const server = await serve([pod]);
  const world = createTestWorld();
  const path = join(world.directory, '.config/berth/config.json');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const profiles = { work: { 'api-key': KEY, 'base-url': server.url, 'queue-url': server.url } };
  writeFileSync(path, JSON.stringify({ current: 'work', profiles, aliases: { mine: 'pods get pod1' } }));
  chmodSync(path, 0o600);
  return { world, path, seen: server.seen };
}

const COMMANDS: readonly (readonly string[])[] = [
  ['pods', 'get', 'pod1'],
  ['pods', 'stop', 'pod1'],
  ['mine'],
  ['auth', 'status'],
  ['auth', 'list'],
  ['auth', 'logout'],
  ['config', 'set', 'timeout', '5s'],
];

describe.each(FOREIGN)('a profiles file %s', (_, spoil, says) => {
  test.each(COMMANDS)('%s %s: 14, nothing is sent, and the file stays', async (...argv) => {
    const { world, path, seen } = await worldWithProfile();
    spoil(path);
    const before = [readFileSync(path, 'utf8'), statSync(path).mode, statSync(path).uid];
    const ran = await berthIn(world, argv);
    expectBlock(ran, { exit: 14, says: [path, says, 'BERTH_CONFIG_DIR'] });
    expect(seen).toHaveLength(0);
    expect([readFileSync(path, 'utf8'), statSync(path).mode, statSync(path).uid]).toEqual(before);
  });

  test('is not needed for the local service, for help, or with key and addresses in the environment', async () => {
    for (const argv of [
      ['--local', 'pods', 'list'],
      ['pods', '--help'],
    ]) {
      const { world, path } = await worldWithProfile();
      spoil(path);
      const ran = await berthIn(world, argv);
      expectNoKeyNoStack(ran);
      expect(ran.code, ran.err).toBe(0);
    }
    const { world, path } = await worldWithProfile();
    spoil(path);
    const server = await serve([pod]);
    const ran = await berthIn({ ...world, env: { ...world.env, ...pointedAt(server.url) } }, ['pods', 'get', 'pod1']);
    expect([ran.code, server.seen.length]).toEqual([0, 1]);
  });
});

describe.each(FOREIGN)('a directory of the profiles file %s', (_, spoil, says) => {
  test.each(COMMANDS)('%s %s: 14, nothing is sent', async (...argv) => {
    const { world, path, seen } = await worldWithProfile();
    spoil(dirname(path));
    expectBlock(await berthIn(world, argv), { exit: 14, says: [dirname(path), says, 'BERTH_CONFIG_DIR'] });
    expect(seen).toHaveLength(0);
  });

  test('gets no profiles file', async () => {
    const folder = join(createTestWorld().directory, 'settings');
    mkdirSync(folder);
    spoil(folder);
    const world = createTestWorld({ env: { BERTH_CONFIG_DIR: folder } });
    expectBlock(await berthIn(world, ['config', 'set', 'timeout', '5s']), { exit: 14, says: [folder, says] });
    expect(readdirSync(folder)).toEqual([]);
  });
});

test.each([
  ['that everybody may read', 0o644, 0o755],
  ['in a directory like /tmp', 0o600, 0o1777],
])('a profiles file %s is used', async (_, file, folder) => {
  const { world, path } = await worldWithProfile();
  chmodSync(path, file);
  chmodSync(dirname(path), folder);
  expect((await berthIn(world, ['pods', 'get', 'pod1', '-o', 'id'])).out).toBe('pod1\n');
  expect((await berthIn(world, ['config', 'set', 'timeout', '5s'])).code).toBe(0);
});

test('without user numbers, as on Windows, nothing is refused', async () => {
  const { world, path } = await worldWithProfile();
  chmodSync(path, 0o666);
  expect((await berthIn({ ...world, user: undefined }, ['pods', 'get', 'pod1', '-o', 'id'])).out).toBe('pod1\n');
});

describe.each(FOREIGN)('remembered jobs in a file or directory %s', (_, spoil) => {
  const JOBS = '.local/share/berth/remembered/jobs-default.json';
  const submit = ['jobs', 'run', 'ep1', '--input', '{}', '-o', 'id'];

  test('are not read, and the file is replaced by one of this user', async () => {
    const server = await serve([json({ id: 'job1', status: 'IN_QUEUE' })]);
    const world = createTestWorld({ env: pointedAt(server.url) });
    const file = join(world.directory, JOBS);
    const recent = async () => (await berthIn(sameFolder(world), ['jobs', 'recent', '-o', 'id'])).out;
    await berthIn(world, submit);
    expect(await recent()).toBe('job1\n');
    spoil(file);
    expect(await recent()).toBe('');
    await berthIn(sameFolder(world), submit);
    expect([await recent(), statSync(file)]).toEqual([
      'job1\n',
      expect.objectContaining({ mode: 0o100600, uid: process.geteuid?.() }),
    ]);
  });

  test('are not written', async () => {
    const server = await serve([json({ id: 'job1', status: 'IN_QUEUE' })]);
    const world = createTestWorld({ env: pointedAt(server.url) });
    const file = join(world.directory, JOBS);
    mkdirSync(dirname(file), { recursive: true });
    spoil(dirname(file));
    expect((await berthIn(world, submit)).code).toBe(0);
    expect(existsSync(file)).toBe(false);
  });
});
