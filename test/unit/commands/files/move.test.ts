import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filesIn, startSync } from '../../../support/worlds/synced-folder.ts';

describe('files mv', () => {
  it('within a volume copies at the service, and removes the old file', async () => {
    const { run, keys } = startSync();
    await run('cp -r d datasets:d');
    const ran = await run('mv -r datasets:d datasets:x --verbose');
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err).toContain('x-amz-copy-source');
    expect(await keys('datasets:')).toEqual(['x/e/two', 'x/one']);
    expect((await run('cat datasets:x/e/two')).out).toBe('two!');
  });

  it('to a volume, from a volume and between volumes leaves nothing behind', async () => {
    const { run, keys, at } = startSync();
    expect((await run('mv d/one datasets:')).code).toBe(0);
    expect(existsSync(at('d/one'))).toBe(false);
    expect((await run('mv datasets:one checkpoints:two')).code).toBe(0);
    expect([await keys('datasets:'), await keys('checkpoints:')]).toEqual([[], ['two']]);
    expect((await run('mv checkpoints:two back/')).code).toBe(0);
    expect([await keys('checkpoints:'), filesIn(at('back'))]).toEqual([[], ['two']]);
  });

  it.each([
    ['mv datasets:one datasets:one', 2, 'into itself'],
    ['mv datasets:one vol-datasets:one', 2, 'into itself'],
    ['mv -r datasets: vol-datasets:x', 2, 'is in the other'],
    ['mv -r datasets: datasets:x', 2, 'is in the other'],
    ['mv datasets:none datasets:x', 4, 'no such file'],
    ['mv datasets:one', 2, 'needs a source and a target'],
  ])('%s is refused, and nothing is gone', async (line, code, says) => {
    const { run, keys } = startSync();
    await run('cp d/one datasets:');
    const ran = await run(line);
    expect([ran.code, ran.err]).toMatchObject([code, expect.stringContaining(says)]);
    expect(await keys('datasets:')).toEqual(['one']);
  });

  it('keeps a file whose copy did not go through, and everything in a dry run', async () => {
    const { run, keys, account } = startSync();
    await run('cp d/one datasets:');
    expect((await run('mv datasets:one datasets:x --dry-run')).code).toBe(0);
    expect((await run('mv datasets:one datasets:x', { env: { BERTH_ACCESS: 'write' } })).code).toBe(3);
    await account('local fault add files-full');
    expect((await run('mv datasets:one datasets:x')).code).toBe(5);
    await account('local fault clear');
    expect(await keys('datasets:')).toEqual(['one']);
  });
});

describe('patterns on a volume', () => {
  const paths = (out: string): readonly string[] =>
    (JSON.parse(out) as readonly { path: string }[]).map((row) => row.path);

  it.each([
    ['runs/*/model.pt', ['runs/a/model.pt', 'runs/b/model.pt']],
    ['runs/[a]/*', ['runs/a/log.txt', 'runs/a/model.pt']],
    ['**.txt', ['runs/a/log.txt']],
    ['{one,two}', ['one']],
    ['runs/?', ['runs/a/', 'runs/b/']],
    ['r*/', ['runs/']],
    ['o*', ['one', 'other*']],
    ['other*', ['other*']],
  ])('ls %s', async (pattern, expected) => {
    const { run, write } = startSync();
    for (const name of ['runs/a/model.pt', 'runs/a/log.txt', 'runs/b/model.pt', 'one', 'other*'])
      write(`v/${name}`, '');
    await run('cp -r v datasets:');
    const ran = await run(`ls 'datasets:${pattern}' --json`);
    expect(ran.code, ran.err).toBe(0);
    expect(paths(ran.out)).toEqual(expected);
  });

  it('are for cp, mv, cat, du and rm too; what matches nothing is not found', async () => {
    const { run, keys, at } = startSync();
    await run('cp -r d/ datasets:runs/a');
    await run('cp -r d/ datasets:runs/b');
    expect((await run('cat datasets:runs/*/one')).out).toBe('oneone');
    expect(JSON.parse((await run('du datasets:runs/* --json')).out)).toMatchObject([
      { path: 'runs/a/', bytes: 7 },
      { path: 'runs/b/', bytes: 7 },
      { bytes: 14 },
    ]);
    expect((await run('cp datasets:runs/a/o* back/')).code).toBe(0);
    expect(filesIn(at('back'))).toEqual(['one']);
    expect((await run('mv datasets:runs/a/* datasets:moved/ -r')).code).toBe(0);
    expect((await run('rm -r datasets:runs/b/* --yes')).code).toBe(0);
    expect(await keys('datasets:')).toEqual(['moved/e/two', 'moved/one']);
    expect((await run('ls datasets:runs/*/none')).code).toBe(4);
  });
});
