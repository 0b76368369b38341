import { statSync, utimesSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { filesIn, startSync } from '../../../support/worlds/synced-folder.ts';

describe('the target becomes the copy of the source, with and without a final slash', () => {
  it.each([
    ['d datasets:', ['e/two', 'one']],
    ['d datasets:x', ['x/e/two', 'x/one']],
    ['d/ datasets:x', ['x/e/two', 'x/one']],
    ['d/. datasets:x/', ['x/e/two', 'x/one']],
  ])('sync %s', async (line, expected) => {
    const { sync, keys } = startSync();
    const ran = await sync(line);
    expect(ran.code, ran.err).toBe(0);
    expect(await keys('datasets:')).toEqual(expected);
    expect(ran.whole).toMatchObject({ copied: 2, bytes: 7, same: 0, removed: 0, failed: 0 });
  });

  it.each([
    ['datasets:x new', ['e/two', 'one']],
    ['datasets:x/ new', ['e/two', 'one']],
    ['datasets: new/', ['x/e/two', 'x/one']],
  ])('sync %s', async (line, expected) => {
    const { sync, at } = startSync();
    await sync('d/ datasets:x');
    expect((await sync(line)).code).toBe(0);
    expect(filesIn(at('new'))).toEqual(expected);
  });
});

describe('a sync is refused', () => {
  it.each([
    ['d e', 2, 'none of the places is on a volume'],
    ['d/one datasets:x', 2, 'd/one is a file'],
    ['none datasets:x', 4, 'no such file or folder'],
    ['datasets:none x', 4, 'no such file or folder'],
    ['datasets: datasets:x', 2, 'one of the folders is in the other'],
    ['d/ datasets: --delete', 2, 'needs confirmation'],
  ])('sync %s', async (line, code, says) => {
    const { run } = startSync();
    expect(await run(`sync ${line}`)).toMatchObject({ code, err: expect.stringContaining(says) as string });
  });

  it('where it may not write, or not remove', async () => {
    const { run } = startSync();
    expect((await run('sync d/ datasets:', { env: { BERTH_ACCESS: 'read' } })).code).toBe(3);
    expect((await run('sync d/ datasets: --delete --yes', { env: { BERTH_ACCESS: 'write' } })).code).toBe(3);
    expect((await run('sync d/ datasets:', { env: { BERTH_ACCESS: 'write' } })).code).toBe(0);
  });
});

describe('what is the same', () => {
  it('by size and time is not looked at further, in both directions', async () => {
    const { sync, run } = startSync();
    await sync('d/ datasets:');
    const up = await sync('d/ datasets:');
    expect([up.rows, up.whole]).toMatchObject([[], { copied: 0, same: 2 }]);
    await sync('datasets: back/');
    const down = await run('sync datasets: back/ --verbose');
    expect(down.err).toContain('0 files copied, 0 B; 2 files the same');
    expect(down.err).not.toMatch(/GET .*\/one/);
  });

  it('is sent where it was changed after the volume got it', async () => {
    const { sync, write, run, at } = startSync();
    await sync('d/ datasets:');
    write('d/one', 'ONE');
    utimesSync(at('d/one'), Date.now() / 1000 + 60, Date.now() / 1000 + 60);
    expect((await sync('d/ datasets:')).rows).toMatchObject([{ from: 'd/one', ok: true }]);
    expect((await run('cat datasets:one')).out).toBe('ONE');
  });

  it('with an older time is found only with --checksum', async () => {
    const { sync, write, at } = startSync();
    await sync('d/ datasets:');
    write('d/one', 'ONE');
    utimesSync(at('d/one'), 1, 1);
    expect((await sync('d/ datasets:')).rows).toEqual([]);
    expect((await sync('d/ datasets: --checksum')).rows).toMatchObject([{ from: 'd/one', ok: true }]);
  });

  it('but for the time is read once, and then has the time of the volume', async () => {
    const { sync, at } = startSync();
    await sync('d/ datasets:');
    await sync('datasets: back/');
    utimesSync(at('back/one'), 1, 1);
    const ran = await sync('datasets: back/');
    expect([ran.rows, ran.whole]).toMatchObject([[], { copied: 0, same: 2 }]);
    expect(statSync(at('back/one')).mtimeMs).toBeGreaterThan(1000);
  });
});

test('a sync between volumes copies what differs', async () => {
  const { sync, run, keys } = startSync();
  await sync('d/ datasets:');
  expect((await sync('datasets: checkpoints:x/')).whole).toMatchObject({ copied: 2 });
  expect((await sync('datasets: checkpoints:x/')).whole).toMatchObject({ copied: 0, same: 2 });
  await run('cp d/e/two datasets:one');
  expect((await sync('datasets: checkpoints:x/')).rows).toMatchObject([{ to: 'checkpoints:x/one' }]);
  expect(await keys('checkpoints:')).toEqual(['x/e/two', 'x/one']);
});
