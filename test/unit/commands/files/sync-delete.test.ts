import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { filesIn, startSync } from '../../../support/worlds/synced-folder.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

describe('--delete', () => {
  it('removes what only the target has, and only there', async () => {
    const { sync, keys, at, run } = startSync();
    await sync('d datasets:x');
    await run('cp d/one datasets:x/other/');
    await run('cp d/one datasets:xbeside');
    rmSync(at('d/e'), { recursive: true });
    const ran = await sync('d datasets:x --delete --yes');
    expect(ran.rows.map(({ from, removed }) => [from, removed])).toEqual([
      ['datasets:x/e/two', true],
      ['datasets:x/other/one', true],
    ]);
    expect(await keys('datasets:')).toEqual(['x/one', 'xbeside']);
  });

  it('removes files of this machine, and the folders that they leave empty', async () => {
    const { sync, at, write } = startSync();
    await sync('d/ datasets:');
    write('back/old/deep/file', 'x');
    write('back/e/extra', 'x');
    expect((await sync('datasets: back --delete --yes')).code).toBe(0);
    expect(filesIn(at('back'))).toEqual(['e/two', 'one']);
    expect(existsSync(at('back/old'))).toBe(false);
  });

  it('says what it removes and asks; what is changed meanwhile stays', async () => {
    const { at, write, cwd } = startSync();
    const [clock, env] = [createTestClock(), { BERTH_DATA_DIR: temporaryDirectory() }];
    const run = (line: string) => berth(['--local', 'files', ...line.split(' ')], { cwd, clock, env });
    write('d/three', 'three');
    write('d/four', 'four');
    await run('sync d/ datasets:');
    for (const name of ['one', 'three', 'four']) rmSync(at(`d/${name}`));
    const asked = async (meanwhile: () => Promise<unknown>, answer: string) => {
      const world = createTestWorld({ tty: true, cwd, clock, env });
      const running = berthIn(world, ['--local', 'files', 'sync', 'd/', 'datasets:', '--delete']);
      while (!world.err().includes('Continue?')) await new Promise(setImmediate);
      await meanwhile();
      await world.type(answer, '\r');
      return await running;
    };
    const declined = await asked(() => Promise.resolve(), 'n');
    expect([declined.code, declined.err]).toMatchObject([2, expect.stringContaining('datasets:three')]);
    expect((await run('ls datasets:one')).code).toBe(0);
    const accepted = await asked(async () => {
      write('d/four', 'four');
      write('new', 'new');
      await run('cp new datasets:new');
    }, 'y');
    expect(accepted.code, accepted.err).toBe(0);
    // `four` is in the source again, and nobody was asked about `new`.
    expect((await run('ls -r datasets:')).out).toMatch(/e\/two[^]*four[^]*new/);
    for (const name of ['one', 'three']) expect((await run(`ls datasets:${name}`)).code).toBe(4);
  });

  it('by two syncs at once leaves what the source has', async () => {
    const { sync, keys, write, run } = startSync();
    for (let count = 0; count < 20; count++) {
      write(`d/${String(count)}`, String(count));
      write(`old/${String(count)}`, 'old');
    }
    await run('cp -r old datasets:');
    const both = await Promise.all([1, 2].map(() => sync('d/ datasets: --delete --yes')));
    for (const ran of both) expect(ran.code, ran.err).toBe(0);
    expect(await keys('datasets:')).toHaveLength(22);
  });

  it('does not remove everything because the source is empty, unless that is meant', async () => {
    const { sync, keys, at } = startSync();
    await sync('d/ datasets:');
    mkdirSync(at('unmounted'));
    const refused = await sync('unmounted/ datasets: --delete --yes');
    expect([refused.code, refused.err]).toMatchObject([2, expect.stringContaining('--allow-empty')]);
    expect(await keys('datasets:')).toHaveLength(2);
    expect((await sync('unmounted/ datasets: --delete --yes --allow-empty')).code).toBe(0);
    expect(await keys('datasets:')).toEqual([]);
  });

  it('of an empty source is refused by a dry run as by the command', async () => {
    const { sync, keys, at } = startSync();
    await sync('d/ datasets:');
    mkdirSync(at('unmounted'));
    const refused = await sync('unmounted/ datasets: --delete --dry-run');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('add --allow-empty')]);
    expect((await sync('unmounted/ datasets: --delete --dry-run --allow-empty')).code).toBe(0);
    expect(await keys('datasets:')).toHaveLength(2);
  });

  it('in a dry run that prints a table has no row for the whole', async () => {
    const { run } = startSync();
    for (const format of ['', ' -o csv']) {
      const { out } = await run(`sync d/ datasets: --dry-run${format}`);
      expect([out.trim().split('\n').length, out], out).toEqual([3, expect.not.stringContaining('0 B') as string]);
    }
  });

  it.skipIf(process.getuid?.() === 0)('removes nothing where a folder of the source cannot be read', async () => {
    const { sync, keys, at } = startSync();
    await sync('d/ datasets:');
    rmSync(at('d/one'));
    chmodSync(at('d/e'), 0);
    const ran = await sync('d/ datasets: --delete --yes');
    chmodSync(at('d/e'), 0o700);
    expect(ran.code).toBe(14);
    expect(await keys('datasets:')).toEqual(['e/two', 'one']);
  });

  it('removes nothing in a dry run, and says what it would', async () => {
    const { sync, keys, at } = startSync();
    await sync('d/ datasets:');
    rmSync(at('d/one'));
    const ran = await sync('d/ datasets: --delete --dry-run');
    expect(ran.rows).toEqual([{ from: 'datasets:one', path: 'one', bytes: 3, removed: true }]);
    expect(ran.err).toContain('1 file would be removed; 1 file the same');
    expect(await keys('datasets:')).toHaveLength(2);
  });
});

describe('filters', () => {
  it.each([
    ['--exclude e', ['.hidden', 'logs/a.log', 'one']],
    ['--exclude *.log --exclude /one', ['.hidden', 'e/two']],
    ['--exclude * --include *.log', ['logs/a.log']],
    ['--include *.log', ['logs/a.log']],
    ['--exclude logs/ --include logs/a.log', ['.hidden', 'e/two', 'logs/a.log', 'one']],
  ])('%s', async (flags, expected) => {
    const { sync, write, keys } = startSync();
    write('d/logs/a.log', 'log');
    write('d/.hidden', '');
    expect((await sync(`d/ datasets: ${flags}`)).code).toBe(0);
    expect(await keys('datasets:')).toEqual(expected);
  });

  it('are those of the files that --ignore-file names, as git reads them', async () => {
    const { sync, write, keys } = startSync();
    write('d/.gitignore', '*.log\n!kept.log\nbuild/\n/e/two\n');
    write('d/a.log', '');
    write('d/e/kept.log', '');
    write('d/build/x', '');
    expect((await sync('d/ datasets: --ignore-file .gitignore')).code).toBe(0);
    expect(await keys('datasets:')).toEqual(['.gitignore', 'e/kept.log', 'one']);
    // The volume has the rules too.
    expect((await sync('datasets: checkpoints: --ignore-file .gitignore --exclude one')).code).toBe(0);
    expect(await keys('checkpoints:')).toEqual(['.gitignore', 'e/kept.log']);
  });

  it('protect what they leave out from --delete', async () => {
    const { sync, keys, at } = startSync();
    await sync('d/ datasets:');
    rmSync(at('d/e'), { recursive: true });
    await sync('d/ datasets: --exclude e --delete --yes');
    expect(await keys('datasets:')).toEqual(['e/two', 'one']);
  });
});
