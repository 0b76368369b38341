import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect } from 'vitest';
import {
  berth,
  berthPath,
  cleanEnvironment,
  installedAt,
  nodePath,
  packageTest,
  runProgram,
  temporaryFolder,
  type Environment,
} from './support.ts';

// Row 43 of docs/faults.md: the code cache is only read from a folder that nobody else can write to, and a damaged one
// changes nothing but speed.

const isRoot = process.geteuid?.() === 0;
const ANOTHER_USER = 65_534;

/** Runs `berth --help`, which must work whatever the cache is. */
async function runHelp(env: Environment, node: string = nodePath()): Promise<void> {
  const { code, stdout, stderr } = await runProgram(node, [berthPath(), '--help'], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('berth');
}

interface World {
  readonly env: Environment;
  /** The folder that holds the caches of all versions. */
  readonly caches: string;
  /** The folder for temporary files. */
  readonly temporary: string;
}

async function newWorld(): Promise<World> {
  const home = await temporaryFolder();
  const temporary = path.join(home, 'shared');
  mkdirSync(temporary);
  chmodSync(temporary, 0o1777);
  const { XDG_CACHE_HOME: _, ...env } = await cleanEnvironment();
  return { env: { ...env, HOME: home, TMPDIR: temporary }, caches: path.join(home, '.cache/berth'), temporary };
}

/** The files of the caches, with their contents. */
const contentsOf = (caches: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(caches, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const file = path.join(entry.parentPath, entry.name);
        return [path.relative(caches, file), readFileSync(file, 'latin1')];
      }),
  );

packageTest(
  'the first run writes a code cache, and the next run of the same command uses it and writes nothing',
  async () => {
    const { env, caches, temporary } = await newWorld();
    await runHelp(env);
    const first = contentsOf(caches);
    expect([...first.keys()]).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+-[^/]*\/start\.pack\.cjs$/)]);
    await runHelp(env);
    expect(contentsOf(caches)).toEqual(first);
    expect(readdirSync(temporary)).toEqual([]);
  },
);

const DAMAGES: readonly (readonly [string, (stored: Buffer) => Buffer])[] = [
  ['a file without its end', (stored) => stored.subarray(0, stored.length / 2)],
  ['a changed byte of the data', (stored) => flipped(stored, stored.length / 2)],
  ['random text', () => Buffer.from('x'.repeat(100_000))],
];

function flipped(stored: Buffer, position: number): Buffer {
  const at = Math.floor(position);
  const changed = Buffer.from(stored);
  changed[at] = (changed[at] ?? 0) ^ 0x55;
  return changed;
}

packageTest.each(DAMAGES)('a damaged cache is replaced: %s', async (_, damage) => {
  const { env, caches } = await newWorld();
  await runHelp(env);
  const [name = ''] = contentsOf(caches).keys();
  const file = path.join(caches, name);
  const damaged = damage(readFileSync(file));
  writeFileSync(file, damaged);
  await runHelp(env);
  expect(readFileSync(file).equals(damaged)).toBe(false);
});

packageTest('a cache that cannot be written changes nothing', async () => {
  const { env, caches } = await newWorld();
  mkdirSync(path.dirname(caches), { mode: 0o700 });
  writeFileSync(caches, 'a file in the place of the folder');
  await runHelp(env);
  await runHelp({ ...env, XDG_CACHE_HOME: '/proc/self' });
  await runHelp({ ...env, XDG_CACHE_HOME: '/dev/full' });
  expect(readFileSync(caches, 'utf8')).toBe('a file in the place of the folder');
});

packageTest('a folder that others can write to, or that belongs to another user, is not used', async () => {
  const { env, caches, temporary } = await newWorld();
  await runHelp(env);
  renameSync(caches, `${caches}-kept`);
  mkdirSync(caches, { mode: 0o755 });
  chmodSync(caches, 0o755);
  await runHelp(env);
  expect(readdirSync(caches)).toEqual([]);
  if (isRoot) {
    chmodSync(caches, 0o700);
    chownSync(caches, ANOTHER_USER, ANOTHER_USER);
    await runHelp(env);
    expect(readdirSync(caches)).toEqual([]);
  }
  expect(readdirSync(temporary)).toEqual([]);
});

packageTest.each(['', '.', 'home'])('with HOME=%j no cache is written below the working directory', async (HOME) => {
  const cwd = await temporaryFolder();
  mkdirSync(path.join(cwd, 'home'));
  const { code } = await berth(['--help'], { env: { PATH: process.env['PATH'] ?? '', HOME }, cwd });
  expect([code, readdirSync(cwd), readdirSync(path.join(cwd, 'home'))]).toEqual([0, ['home'], []]);
});

interface Launcher {
  readonly privateFolder: (env: Environment) => string | undefined;
}

const launcher = (): Launcher =>
  createRequire(import.meta.url)(path.join(installedAt(), 'bin/code-cache.cjs')) as Launcher;

packageTest('a folder for the cache is refused where somebody else could put another in its place', async () => {
  const { privateFolder } = launcher();
  const root = await temporaryFolder();
  const folderIn = (name: string, mode: number): string | undefined => {
    const parent = path.join(root, name);
    mkdirSync(parent);
    chmodSync(parent, mode);
    return privateFolder({ XDG_CACHE_HOME: parent });
  };
  expect(folderIn('own', 0o755)).toBe(path.join(root, 'own/berth'));
  expect(folderIn('sticky', 0o1777)).toBe(path.join(root, 'sticky/berth'));
  expect(folderIn('group', 0o775)).toBeUndefined();
  expect(folderIn('everybody', 0o777)).toBeUndefined();
  expect(privateFolder({ XDG_CACHE_HOME: '/proc/self' })).toBeUndefined();
  expect(existsSync(path.join(root, 'own/berth'))).toBe(true);
  if (!isRoot) return;
  mkdirSync(path.join(root, 'theirs/cache'), { recursive: true });
  chownSync(path.join(root, 'theirs'), ANOTHER_USER, ANOTHER_USER);
  expect(privateFolder({ XDG_CACHE_HOME: path.join(root, 'theirs/cache') })).toBeUndefined();
});
