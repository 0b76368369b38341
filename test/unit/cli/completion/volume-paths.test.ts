import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { berth } from '../../../support/worlds/run-berth.ts';
import type { TestWorldOptions } from '../../../support/worlds/test-world.ts';

/** An account whose volume `datasets` has some files, and a folder of this machine with others. */
async function start() {
  const [directory, cwd, clock] = [temporaryDirectory(), temporaryDirectory(), createTestClock()];
  mkdirSync(path.join(cwd, 'data'));
  for (const name of ['draft', 'd:e', '.hidden', '-dash', 'data/one', 'data/two words', 'data/\u001b[2J'])
    writeFileSync(path.join(cwd, name), 'text');
  const run = (argv: readonly string[], options: TestWorldOptions = {}) =>
    berth(argv, { clock, cwd, env: { BERTH_DATA_DIR: directory, BERTH_LOCAL: '1' }, ...options });
  /** What the shell is told to do, and the words. */
  const offered = async (...words: readonly string[]) => {
    const { out } = await run(['__complete', 'zsh', ...words]);
    const [kind = '', ...lines] = out.slice(0, -1).split('\n');
    return { kind: kind.trim(), words: lines.map((line) => line.split('\t')[0]) };
  };
  const copied = await run(['files', 'cp', '-r', 'data', 'draft', 'datasets:']);
  expect(copied.code).not.toBe(2);
  return { offered, run };
}

it('a place on a volume is completed by the volumes, with a colon that goes on', async () => {
  const { offered } = await start();
  const { kind, words } = await offered('files', 'ls', '');
  expect(kind).toBe('paths');
  expect(words).toEqual(expect.arrayContaining(['datasets:', 'vol-datasets:']));
});

it('the path of a place is completed folder by folder', async () => {
  const { offered } = await start();
  expect((await offered('files', 'ls', 'datasets:')).words).toEqual(['datasets:data/', 'datasets:draft']);
  expect((await offered('files', 'ls', 'datasets:d')).words).toEqual(['datasets:data/', 'datasets:draft']);
  expect((await offered('files', 'du', 'datasets:data/o')).words).toEqual([
    'datasets:data/one',
    'datasets:data/two words',
  ]);
  expect((await offered('files', 'cat', 'datasets:/da')).words).toEqual(['datasets:/data/', 'datasets:/draft']);
  expect((await offered('files', 'ls', 'missing:')).words).toEqual([]);
});

it('a place that may be local is completed by names of this machine too, and where nothing else is meant by the shell', async () => {
  const { offered } = await start();
  expect((await offered('files', 'cp', 'd')).words).toEqual(expect.arrayContaining(['datasets:', 'data/', 'draft']));
  const { words } = await offered('files', 'sync', '');
  expect(words).not.toEqual(expect.arrayContaining(['d:e']));
  expect(words).not.toEqual(expect.arrayContaining(['.hidden']));
  expect(words).not.toEqual(expect.arrayContaining(['-dash']));
  expect(await offered('files', 'mv', './d')).toEqual({ kind: 'files', words: [] });
  expect(await offered('files', 'cp', 'zzz')).toEqual({ kind: 'files', words: [] });
  expect((await offered('files', 'cp', 'data', 'datasets:dr')).words).toContain('datasets:draft');
});

it('a folder is read again after a command has changed something', async () => {
  const { offered, run } = await start();
  await offered('files', 'ls', 'datasets:data/');
  await run(['files', 'rm', 'datasets:data/one', '--yes']);
  expect((await offered('files', 'ls', 'datasets:data/')).words).toEqual(['datasets:data/two words']);
});

it('bash is given what follows the last colon, quoted', async () => {
  const { offered, run } = await start();
  await offered('files', 'ls', 'datasets:data/');
  const { out } = await run(['__complete', 'bash', ' \t\n:=', 'berth files ls datasets:data/t']);
  expect(out).toBe('paths\ndata/two\\ words\n');
});
