import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { filesIn, startSync } from '../../../support/worlds/synced-folder.ts';

describe('what cannot be there is refused, and the rest is done', () => {
  it('a name with control characters', async () => {
    const { sync, write, keys } = startSync();
    write('d/a\tb', '');
    const ran = await sync('d/ datasets:');
    expect(ran.code).toBe(14);
    expect(ran.rows.filter(({ ok }) => ok === false).map(({ error }) => error?.message)).toEqual([
      expect.stringContaining('control characters'),
    ]);
    expect(await keys('datasets:')).toEqual(['e/two', 'one']);
  });

  it('a file where a folder must be, and a folder where a file must be', async () => {
    const { sync, write, at } = startSync();
    await sync('d/ datasets:');
    write('back/e', 'a file');
    mkdirSync(at('back/one'));
    const ran = await sync('datasets: back');
    expect(ran.rows.map(({ error }) => error?.message).sort()).toEqual([
      expect.stringContaining('back/e'),
      expect.stringContaining('folder'),
    ]);
    expect(readFileSync(at('back/e'), 'utf8')).toBe('a file');
  });

  it('names of Windows where it writes there', async () => {
    const { sync, write, at } = startSync();
    write('d/con', '');
    await sync('d/ datasets:');
    const ran = await sync('datasets: back', { platform: 'win32' });
    expect(ran.rows.find(({ ok }) => ok === false)?.error?.message).toContain('Windows does not allow this name');
    expect(filesIn(at('back'))).toEqual(['e/two', 'one']);
  });

  it('a folder of the target that is a link: nothing is written out of the target', async () => {
    const { sync, at } = startSync();
    await sync('d/ datasets:');
    mkdirSync(at('outside'));
    mkdirSync(at('back'));
    symlinkSync(at('outside'), at('back/e'));
    const ran = await sync('datasets: back');
    expect(ran.code).toBe(14);
    expect(filesIn(at('outside'))).toEqual([]);
    expect(filesIn(at('back'))).toEqual(['one']);
  });
});

describe('links of the source', () => {
  it('are left out, and named; what the target has in their place stays', async () => {
    const { sync, at, keys, run } = startSync();
    symlinkSync('one', at('d/link'));
    symlinkSync('/etc', at('d/folder'));
    await run('cp d/one datasets:link');
    const ran = await sync('d/ datasets: --delete --yes');
    expect(ran.err).toContain('Skipped d/link: it is a link.');
    expect(ran.err).toContain('Skipped d/folder: it is a link.');
    expect(await keys('datasets:')).toEqual(['e/two', 'link', 'one']);
  });

  it('are followed with --follow-links, but not in circles', async () => {
    const { sync, at, keys } = startSync();
    symlinkSync('one', at('d/link'));
    symlinkSync('..', at('d/e/up'));
    symlinkSync('.', at('d/self'));
    symlinkSync('nowhere', at('d/broken'));
    const ran = await sync('d/ datasets: --follow-links');
    expect(ran.err).toContain('Skipped d/e/up: it is a link to a folder that it is in');
    expect(ran.err).toContain('Skipped d/self: ');
    expect(ran.err).toContain('Skipped d/broken: ');
    expect(await keys('datasets:')).toEqual(['e/two', 'link', 'one']);
  });
});

test('an executable file stays one when its content is replaced', async () => {
  const { sync, at, write, run } = startSync();
  chmodSync(at('d/one'), 0o755);
  await sync('d/ datasets:');
  write('d/e/new', 'content');
  await run('cp d/e/new datasets:one');
  await sync('datasets: d/');
  expect(readFileSync(at('d/one'), 'utf8')).toBe('content');
  expect(statSync(at('d/one')).mode & 0o100).toBe(0o100);
});
