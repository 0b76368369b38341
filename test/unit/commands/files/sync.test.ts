import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { filesIn, startSync } from '../../../support/worlds/synced-folder.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

const containing = (text: string) => expect.stringContaining(text) as string;

test.each([
  ['d datasets:', ['e/two', 'one']],
  ['d datasets:x', ['x/e/two', 'x/one']],
  ['d/ datasets:x', ['x/e/two', 'x/one']],
  ['d/. datasets:x/', ['x/e/two', 'x/one']],
])('the target becomes the copy of the source, whatever the slashes: sync %s', async (line, expected) => {
  const { sync, keys, at } = startSync();
  const ran = await sync(line);
  expect([ran.code, ran.err]).toEqual([0, containing('2 files copied, 7 B')]);
  expect(await keys('datasets:')).toEqual(expected);
  expect((await sync(`${line.split(' ')[1] ?? ''} new`)).code).toBe(0);
  expect(filesIn(at('new'))).toEqual(['e/two', 'one']);
});

test.each([
  ['d e', 2, 'both on this machine'],
  ['d/one datasets:x', 2, 'd/one is a file'],
  ['none datasets:x', 4, 'no such file or folder'],
  ['datasets:none x', 4, 'no such file or folder'],
  ['datasets: datasets:x', 2, 'one of the folders is in the other'],
  ['d/ datasets: --delete', 2, 'needs confirmation'],
])('sync %s is refused', async (line, code, says) => {
  const { run } = startSync();
  expect(await run(`sync ${line}`)).toMatchObject({ code, err: containing(says) });
});

describe('what is the same', () => {
  it('by size and time is not looked at further, in both directions', async () => {
    const { sync, run } = startSync();
    await sync('d/ datasets:');
    expect(await sync('d/ datasets:')).toMatchObject({ rows: [], err: containing('2 files the same') });
    await sync('datasets: back/');
    const down = await run('sync datasets: back/ --verbose');
    expect(down.err).toContain('0 files copied, 0 B; 2 files the same');
    expect(down.err).not.toMatch(/GET .*\/one/);
  });

  it('is sent where it was changed later, and with an older time found only with --checksum', async () => {
    const { sync, write, run, at } = startSync();
    await sync('d/ datasets:');
    for (const [text, time, flags, rows] of [
      ['ONE', Date.now() / 1000 + 60, '', [{ from: 'd/one', ok: true }]],
      ['1ne', 1, '', []],
      ['1ne', 1, ' --checksum', [{ from: 'd/one', ok: true }]],
    ] as const) {
      write('d/one', text);
      utimesSync(at('d/one'), time, time);
      expect((await sync(`d/ datasets:${flags}`)).rows).toMatchObject(rows);
    }
    expect((await run('cat datasets:one')).out).toBe('1ne');
  });

  it('but for the time is read once, and then has the time of the volume', async () => {
    const { sync, at } = startSync();
    await sync('d/ datasets:');
    await sync('datasets: back/');
    utimesSync(at('back/one'), 1, 1);
    expect(await sync('datasets: back/')).toMatchObject({ rows: [], err: containing('2 files the same') });
    expect(statSync(at('back/one')).mtimeMs).toBeGreaterThan(1000);
  });

  it('on another volume is not sent', async () => {
    const { sync, run, keys } = startSync();
    await sync('d/ datasets:');
    expect((await sync('datasets: checkpoints:x/')).rows).toHaveLength(2);
    expect((await sync('datasets: checkpoints:x/')).rows).toEqual([]);
    await run('cp d/e/two datasets:one');
    expect((await sync('datasets: checkpoints:x/')).rows).toMatchObject([{ to: 'checkpoints:x/one' }]);
    expect(await keys('checkpoints:')).toEqual(['x/e/two', 'x/one']);
  });
});

test('what cannot be in its place is refused by name: a file for a folder, a folder for a file, a link that leads out', async () => {
  const { sync, write, at } = startSync();
  await sync('d/ datasets:');
  write('back/e', 'a file');
  mkdirSync(at('back/one'));
  const ran = await sync('datasets: back');
  expect(ran.rows.map(({ error }) => error?.message).sort()).toEqual([containing('back/e'), containing('folder')]);
  expect(readFileSync(at('back/e'), 'utf8')).toBe('a file');
  mkdirSync(at('outside'));
  mkdirSync(at('new'));
  symlinkSync(at('outside'), at('new/e'));
  expect((await sync('datasets: new')).code).toBe(14);
  expect([filesIn(at('outside')), filesIn(at('new'))]).toEqual([[], ['one']]);
});

test('links of the source are left out and named, what the target has in their place stays; --follow-links copies them', async () => {
  const { sync, at, keys, run } = startSync();
  symlinkSync('one', at('d/link'));
  symlinkSync('..', at('d/e/up'));
  symlinkSync('nowhere', at('d/broken'));
  await run('cp d/e/two datasets:link');
  const ran = await sync('d/ datasets: --delete --yes');
  for (const name of ['link', 'e/up', 'broken']) expect(ran.err).toContain(`Skipped d/${name}: it is a link.`);
  expect(await keys('datasets:')).toEqual(['e/two', 'link', 'one']);
  const followed = await sync('d/ datasets: --follow-links --checksum');
  expect(followed.err).toContain('Skipped d/e/up: it is a link to a folder that it is in');
  expect(followed.err).toContain('Skipped d/broken: ');
  expect((await run('cat datasets:link')).out).toBe('one');
});

test('an executable file stays one when its content is replaced', async () => {
  const { sync, at, run } = startSync();
  chmodSync(at('d/one'), 0o755);
  await sync('d/ datasets:');
  await run('cp d/e/two datasets:one');
  await sync('datasets: d/');
  expect(readFileSync(at('d/one'), 'utf8')).toBe('two!');
  expect(statSync(at('d/one')).mode & 0o100).toBe(0o100);
});

describe('--delete', () => {
  it('removes what only the target has, and only there; in a dry run nothing', async () => {
    const { sync, keys, at, run } = startSync();
    await sync('d datasets:x');
    await run('cp d/one datasets:x/other/');
    await run('cp d/one datasets:xbeside');
    rmSync(at('d/e'), { recursive: true });
    const dry = await sync('d datasets:x --delete --dry-run');
    expect(dry.rows).toContainEqual({ from: 'datasets:x/e/two', bytes: 4, removed: true });
    expect(dry.err).toContain('2 files would be removed; 1 file the same');
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
    expect([declined.code, declined.err]).toMatchObject([2, containing('datasets:three')]);
    expect((await run('ls datasets:one')).code).toBe(0);
    const accepted = await asked(async () => {
      write('d/four', 'four');
      write('new', 'new');
      // The other command may still have its turn of the local state.
      while ((await run('cp new datasets:new')).code !== 0);
    }, 'y');
    // `four` is in the source again, and nobody was asked about `new`.
    expect([accepted.code, accepted.out]).toEqual([14, containing('the source has this file by now')]);
    expect((await run('ls -r datasets:')).out).toMatch(/e\/two[^]*four[^]*new/);
    for (const name of ['one', 'three']) expect((await run(`ls datasets:${name}`)).code).toBe(4);
  });

  it.each(['--yes', '--dry-run'])('does not remove everything because the source is empty: %s', async (flag) => {
    const { sync, keys, at } = startSync();
    await sync('d/ datasets:');
    mkdirSync(at('unmounted'));
    const refused = await sync(`unmounted/ datasets: --delete ${flag}`);
    expect([refused.code, refused.err]).toMatchObject([2, containing('--allow-empty')]);
    expect(await keys('datasets:')).toHaveLength(2);
    expect((await sync(`unmounted/ datasets: --delete ${flag} --allow-empty`)).code).toBe(0);
    expect(await keys('datasets:')).toHaveLength(flag === '--yes' ? 0 : 2);
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
});

test.each([
  ['--exclude e', ['.hidden', 'logs/a.log', 'one']],
  ['--exclude *.log --exclude /one', ['.hidden', 'e/two']],
  ['--exclude * --include *.log', ['logs/a.log']],
  ['--include *.log', ['logs/a.log']],
  ['--exclude logs/ --include logs/a.log', ['.hidden', 'e/two', 'logs/a.log', 'one']],
])('filters choose what is copied, and protect the rest from --delete: %s', async (flags, expected) => {
  const { sync, write, keys, at } = startSync();
  write('d/logs/a.log', 'log');
  write('d/.hidden', '');
  expect((await sync(`d/ datasets: ${flags}`)).code).toBe(0);
  expect(await keys('datasets:')).toEqual(expected);
  await sync('d/ datasets:');
  mkdirSync(at('none'));
  await sync(`none datasets: ${flags} --delete --yes --allow-empty`);
  expect(await keys('datasets:')).toEqual(
    ['.hidden', 'e/two', 'logs/a.log', 'one'].filter((name) => !expected.includes(name)),
  );
});
