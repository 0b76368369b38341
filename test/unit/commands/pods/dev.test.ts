import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, test } from 'vitest';
import { readManifest } from '../../../../src/commands/pods/dev/manifest.ts';
import { openSourceFolder } from '../../../../src/commands/pods/dev/source-folder.ts';
import type { PodFiles } from '../../../../src/commands/pods/reach/files/pod-files.ts';
import type { RangeFiles } from '../../../../src/core/context.ts';
import { createContext } from '../../../../src/host/context.ts';
import { berth } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

const hasGit = spawnSync('git', ['--version']).error === undefined;
if (!hasGit) console.log('note: not run: no git, so the files of pods dev are not compared with those of git');

/** Files of a repository; the folder that is sent is `app`. */
const TREE: Readonly<Record<string, string>> = {
  '.gitignore': '*.log\n/app/secret.txt\nbuild/\napp/**/cache\n',
  'app/.gitignore': '!important.log\n/data/*\n!/data/small.csv\n# a comment\n\\#hash\ntrailing   \n',
  'app/main.py': '',
  'app/a.log': '',
  'app/important.log': '',
  'app/secret.txt': '',
  'app/deep/secret.txt': '',
  'app/build/out.o': '',
  'app/deep/build/out.o': '',
  'app/deep/cache/x': '',
  'app/data/large.csv': '',
  'app/data/small.csv': '',
  'app/#hash': '',
  'app/trailing': '',
  'app/deep/.gitignore': '*\n!*.py\n!.gitignore\n',
  'app/deep/kept.py': '',
  'app/deep/left.txt': '',
  'app/info.txt': '',
  '.git/info/exclude': 'info.txt\n',
};

async function opened(exclude: readonly string[] = []) {
  const world = createTestWorld();
  spawnSync('git', ['init', '-q', world.directory]);
  for (const [name, text] of Object.entries(TREE)) {
    const file = join(world.directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const ctx = createContext(world, {});
  const app = join(world.directory, 'app');
  const files = await ctx.durable();
  return { app, files, source: await openSourceFolder(files, app, exclude) };
}

test.skipIf(!hasGit)('pods dev sends the files that git would add, by the rules of the whole repository', async () => {
  const { app, source } = await opened();
  const { stdout } = spawnSync(
    'git',
    ['-c', 'core.excludesFile=', 'ls-files', '-z', '--others', '--exclude-standard'],
    {
      cwd: app,
      encoding: 'utf8',
    },
  );
  const { files } = await source.scan();
  expect([...files.keys()].toSorted()).toEqual(stdout.split('\0').filter(Boolean).toSorted());
  expect(files.size).toBeGreaterThan(5);
});

/** Files below a path of Windows, which are those of a folder of this machine. */
function belowDrive(files: RangeFiles, drive: string, folder: string): RangeFiles {
  const here = (path: string): string => path.replace(drive, () => folder).replaceAll('\\', '/');
  return {
    ...files,
    absolute: (path) => path,
    contents: (path, follow) => files.contents(here(path), follow),
    lookAt: (path, follow) => files.lookAt(here(path), follow),
    read: (path, from) => files.read(here(path), from),
    digests: (path, ...range) => files.digests(here(path), ...range),
  };
}

test.skipIf(!hasGit).each(['C:', 'C:\\work\\repo', '\\\\server\\share'])(
  'the rules of the repository around a folder count on Windows too: %s',
  async (drive) => {
    const { app, source, files } = await opened();
    const onWindows = await openSourceFolder(belowDrive(files, drive, dirname(app)), `${drive}\\app`, []);
    expect([...(await onWindows.scan()).files.keys()]).toEqual([...(await source.scan()).files.keys()]);
  },
);

test.skipIf(!hasGit)('--exclude has paths that begin at the folder', async () => {
  const { source } = await opened(['/main.py', '*.csv']);
  const names = [...(await source.scan()).files.keys()];
  expect(names.filter((name) => /main\.py|csv/.test(name))).toEqual([]);
});

test.skipIf(!hasGit)('a folder that is gone is no empty folder', async () => {
  const { app, source } = await opened();
  rmSync(app, { recursive: true });
  await expect(source.scan()).rejects.toMatchObject({ exit: 14, hint: 'Nothing was removed in the pod.' });
});

/** A pod with one file. */
const podWith = (text: string) =>
  ({
    look: () => Promise.resolve({ name: '', kind: 'file', bytes: text.length, modifiedAt: 0, mode: 0o644 }),

    read: async function* () {
      yield Buffer.from(text);
    },
  }) as unknown as PodFiles;

const DIGEST = 'a'.repeat(64);

it('takes no path out of the folder from a manifest', async () => {
  const paths = ['ok.txt', 'a/b', '../up', '/etc/passwd', 'a/../../b', '', '.', 'a//b', '.berth-dev.json'];
  const files = Object.fromEntries(paths.map((path) => [path, DIGEST]));
  const found = await readManifest(podWith(JSON.stringify({ files: { ...files, short: 'abc', odd: 1 } })), 'app');
  expect([...(found?.keys() ?? [])]).toEqual(['ok.txt', 'a/b']);
});

it.each(['', 'x', '[]', '{"files":[]}', 'null'])('takes %j for no manifest', async (text) => {
  expect(await readManifest(podWith(text), 'app')).toBeUndefined();
});

it.each([
  [[], 'missing COMMAND', 2],
  [['--to', '/', '--', 'x'], '--to', 2],
  [['--path', 'nowhere', '--', 'x'], 'nowhere', 14],
  [['--signal', 'STOP', '--', 'x'], '--signal', 2],
])('pods dev refuses %j', async (argv, said, exit) => {
  const { code, err } = await berth(['--local', 'pods', 'dev', 'pod-train', ...argv]);
  expect(code).toBe(exit);
  expect(err).toContain(said);
});
