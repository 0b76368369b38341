import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { berthPath, cleanEnvironment, installedAt, runProgram, temporaryFolder, type Environment } from './support.ts';

// Row 43 of docs/faults.md: on a Node without a compiled form in the package, a compile cache is only read from a folder
// that nobody else can write to.

const NODE = 'node@22.23.3';

/** Another Node, from the package of that name; undefined where it cannot be had. */
async function otherNode(): Promise<string | undefined> {
  const folder = await temporaryFolder();
  try {
    const options = ['--prefix', folder, '--no-audit', '--no-fund', '--no-save', '--fetch-retries', '0'];
    execFileSync('npm', ['install', ...options, NODE], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
    const program = path.join(folder, 'node_modules/node/bin/node');
    execFileSync(program, ['--version'], { stdio: 'pipe' });
    return program;
  } catch {
    return undefined;
  }
}

const isRoot = process.geteuid?.() === 0;
const ANOTHER_USER = 65_534;

test('another Node caches in a private folder of the user, or nowhere', async (context) => {
  const node = await otherNode();
  if (node === undefined) {
    context.skip(`${NODE} cannot be had here`);
    return;
  }
  const run = async (env: Environment): Promise<void> => {
    const { code, stdout, stderr } = await runProgram(node, [berthPath(), '--help'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('berth');
  };
  const home = await temporaryFolder();
  const temporary = path.join(home, 'shared');
  mkdirSync(temporary);
  chmodSync(temporary, 0o1777);
  const env = { ...(await cleanEnvironment()), HOME: home, TMPDIR: temporary };
  const cache = path.join(home, '.cache/berth');

  await run(env);
  expect(readdirSync(cache)).not.toEqual([]);
  expect(readdirSync(temporary)).toEqual([]);

  // A folder that is open to others is not used.
  renameSync(cache, `${cache}-kept`);
  mkdirSync(cache, { mode: 0o755 });
  await run(env);
  expect(readdirSync(cache)).toEqual([]);

  if (isRoot) {
    chmodSync(cache, 0o700);
    chownSync(cache, ANOTHER_USER, ANOTHER_USER);
    await run(env);
    expect(readdirSync(cache)).toEqual([]);
  }
  expect(readdirSync(temporary)).toEqual([]);
});

interface Launcher {
  readonly compileCacheFolder: (env: Environment) => string | undefined;
}

test('a folder for the cache is refused where somebody else could put another in its place', async () => {
  const load = createRequire(import.meta.url);
  const { compileCacheFolder } = load(path.join(installedAt(), 'bin/compile-cache.cjs')) as Launcher;
  const root = await temporaryFolder();
  const folderIn = (name: string, mode: number): string | undefined => {
    const parent = path.join(root, name);
    mkdirSync(parent);
    chmodSync(parent, mode);
    return compileCacheFolder({ XDG_CACHE_HOME: parent });
  };
  expect(folderIn('own', 0o755)).toBe(path.join(root, 'own/berth'));
  expect(folderIn('sticky', 0o1777)).toBe(path.join(root, 'sticky/berth'));
  expect(folderIn('group', 0o775)).toBeUndefined();
  expect(folderIn('everybody', 0o777)).toBeUndefined();
  expect(compileCacheFolder({ XDG_CACHE_HOME: '/proc/self' })).toBeUndefined();
  expect(existsSync(path.join(root, 'own/berth'))).toBe(true);
});

test.skipIf(!isRoot)('a folder for the cache below a folder of another user is refused', async () => {
  const load = createRequire(import.meta.url);
  const { compileCacheFolder } = load(path.join(installedAt(), 'bin/compile-cache.cjs')) as Launcher;
  const folder = path.join(await temporaryFolder(), 'theirs');
  mkdirSync(path.join(folder, 'cache'), { recursive: true });
  chownSync(folder, ANOTHER_USER, ANOTHER_USER);
  expect(compileCacheFolder({ XDG_CACHE_HOME: path.join(folder, 'cache') })).toBeUndefined();
});
