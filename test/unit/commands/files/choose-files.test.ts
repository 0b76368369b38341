import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filesIn, startSync } from '../../../support/worlds/synced-folder.ts';

describe('the files of a copy', () => {
  it.each([
    ["--exclude '*.tmp'", ['.gitignore', 'e/two', 'one']],
    ["--exclude 'e/'", ['.gitignore', 'one', 'three.tmp']],
    ["--include 't*'", ['e/two', 'three.tmp']],
    ["--exclude '*' --include 'one'", ['one']],
  ])('are chosen by %s, in both directions', async (flags, expected) => {
    const { run, write, keys, at } = startSync();
    write('d/three.tmp', 'three');
    write('d/.gitignore', '');
    const up = await run(`cp -r ${flags} d datasets:`);
    expect(up.code, up.err).toBe(0);
    expect(await keys('datasets:')).toEqual(expected);
    await run('cp -r d datasets:');
    const down = await run(`cp -r ${flags} datasets: back`);
    expect(down.code, down.err).toBe(0);
    expect(filesIn(at('back'))).toEqual(expected);
  });

  it('are those that links lead to with --follow-links, each folder once', async () => {
    const { run, at, keys } = startSync();
    mkdirSync(at('outside'));
    writeFileSync(at('outside/far'), 'far');
    symlinkSync(at('outside'), at('d/linked'));
    symlinkSync(at('d'), at('d/e/circle'));
    symlinkSync('one', at('d/alias'));
    const ran = await run('cp -r --follow-links d/ datasets:');
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err).toMatch(/Skipped d\/e\/circle: it is a link to a folder that it is in/);
    expect((await keys('datasets:')).filter((key) => !key.startsWith('.'))).toEqual([
      'alias',
      'e/two',
      'linked/far',
      'one',
    ]);
  });
});
