import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { createTestWorld, type TestWorldOptions } from '../../../support/worlds/test-world.ts';

interface Row {
  readonly from?: string;
  readonly to?: string;
  readonly removed?: true;
  readonly ok?: boolean;
  readonly error?: { readonly message: string };
  readonly whole?: Readonly<Record<string, number>>;
}

/** An account, and a folder with `d/one`, `d/e/two` and `d/.gitignore`. */
function start() {
  const account = createAccount();
  const cwd = temporaryDirectory();
  const at = (name: string) => path.join(cwd, name);
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  write('d/one', 'one');
  write('d/e/two', 'two!');
  const run = (line: string, options: TestWorldOptions = {}) => account(`files ${line}`, { cwd, ...options });
  const sync = async (line: string, options: TestWorldOptions = {}) => {
    const ran = await run(`sync ${line} --json`, options);
    const rows = ran.out.startsWith('[') ? (JSON.parse(ran.out) as readonly Row[]) : [];
    return { ...ran, rows: rows.filter(({ whole }) => whole === undefined), whole: rows.at(-1)?.whole };
  };
  const keys = async (place: string) =>
    (JSON.parse(await local(account, `files ls -R ${place} --json`)) as readonly { path: string }[]).map(
      (row) => row.path,
    );
  return { account, at, write, run, sync, keys, cwd };
}

/** The files below a folder of this machine, sorted. */
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();

describe('a slash at the end of the source means what is in it', () => {
  it.each([
    ['d datasets:', ['d/e/two', 'd/one']],
    ['d/ datasets:', ['e/two', 'one']],
    ['d datasets:x', ['x/d/e/two', 'x/d/one']],
    ['d/ datasets:x', ['x/e/two', 'x/one']],
    ['d/. datasets:x/', ['x/e/two', 'x/one']],
  ])('sync %s', async (line, expected) => {
    const { sync, keys } = start();
    const ran = await sync(line);
    expect(ran.code, ran.err).toBe(0);
    expect(await keys('datasets:')).toEqual(expected);
    expect(ran.whole).toMatchObject({ copied: 2, bytes: 7, same: 0, removed: 0, failed: 0 });
  });

  it.each([
    ['datasets:x new', ['x/e/two', 'x/one']],
    ['datasets:x/ new', ['e/two', 'one']],
    ['datasets: new/', ['x/e/two', 'x/one']],
  ])('sync %s', async (line, expected) => {
    const { sync, at } = start();
    await sync('d/ datasets:x');
    expect((await sync(line)).code).toBe(0);
    expect(filesIn(at('new'))).toEqual(expected);
  });

  it('is said by a dry run, with the folders at hand', async () => {
    const { sync, keys } = start();
    expect((await sync('d datasets:x --dry-run')).err).toContain(
      'd means the folder itself: it goes to datasets:x/d/. For what is in it, write d/',
    );
    expect((await sync('d/ datasets:x --dry-run')).err).toContain('d/ means what is in it: that goes to datasets:x/');
    expect(await keys('datasets:')).toEqual([]);
  });
});

describe('a sync is refused', () => {
  it.each([
    ['d e', 2, 'none of the places is on a volume'],
    ['d/one datasets:x', 2, 'd/one is a file'],
    ['none datasets:x', 4, 'no such file or folder'],
    ['datasets:none x', 4, 'no such file or folder'],
    ['d/ datasets: --delete --yes --files-from list', 2, '--files-from'],
    ['datasets: datasets:x', 2, 'one of the folders is in the other'],
    ['d/ datasets: --delete', 2, 'asks for confirmation'],
  ])('sync %s', async (line, code, says) => {
    const { run, write } = start();
    write('list', 'one\n');
    expect(await run(`sync ${line}`)).toMatchObject({ code, err: expect.stringContaining(says) as string });
  });

  it('where it may not write, or not remove', async () => {
    const { run } = start();
    expect((await run('sync d/ datasets:', { env: { BERTH_ACCESS: 'read' } })).code).toBe(3);
    expect((await run('sync d/ datasets: --delete --yes', { env: { BERTH_ACCESS: 'write' } })).code).toBe(3);
    expect((await run('sync d/ datasets:', { env: { BERTH_ACCESS: 'write' } })).code).toBe(0);
  });

  it('where the files cannot fit on the volume, with what a larger one costs', async () => {
    const { run, write, at } = start();
    write('big/a', '');
    truncateSync(at('big/a'), 12_000_000_000);
    const ran = await run('sync big/ scratch:');
    expect(ran.code, ran.err).toBe(5);
    expect(ran.err).toContain('missing');
    expect(ran.err).toContain('volumes update scratch --size 12');
    expect(ran.err).toContain('a month');
  });
});

describe('what is the same', () => {
  it('by size and time is not looked at further, in both directions', async () => {
    const { sync, run } = start();
    await sync('d/ datasets:');
    const up = await sync('d/ datasets:');
    expect([up.rows, up.whole]).toMatchObject([[], { copied: 0, same: 2 }]);
    await sync('datasets: back/');
    const down = await run('sync datasets: back/ --verbose');
    expect(down.err).toContain('0 files copied, 0 B; 2 files the same');
    expect(down.err).not.toMatch(/GET .*\/one/);
  });

  it('is sent where it was changed after the volume got it', async () => {
    const { sync, write, run, at } = start();
    await sync('d/ datasets:');
    write('d/one', 'ONE');
    utimesSync(at('d/one'), Date.now() / 1000 + 60, Date.now() / 1000 + 60);
    expect((await sync('d/ datasets:')).rows).toMatchObject([{ from: 'd/one', ok: true }]);
    expect((await run('cat datasets:one')).out).toBe('ONE');
  });

  it('with an older time is found only with --checksum', async () => {
    const { sync, write, at } = start();
    await sync('d/ datasets:');
    write('d/one', 'ONE');
    utimesSync(at('d/one'), 1, 1);
    expect((await sync('d/ datasets:')).rows).toEqual([]);
    expect((await sync('d/ datasets: --checksum')).rows).toMatchObject([{ from: 'd/one', ok: true }]);
  });

  it('but for the time is read once, and then has the time of the volume', async () => {
    const { sync, at } = start();
    await sync('d/ datasets:');
    await sync('datasets: back/');
    utimesSync(at('back/one'), 1, 1);
    const ran = await sync('datasets: back/');
    expect([ran.rows, ran.whole]).toMatchObject([[], { copied: 0, same: 2 }]);
    expect(statSync(at('back/one')).mtimeMs).toBeGreaterThan(1000);
  });
});

test('a sync between volumes copies what differs', async () => {
  const { sync, run, keys } = start();
  await sync('d/ datasets:');
  expect((await sync('datasets: checkpoints:x/')).whole).toMatchObject({ copied: 2 });
  expect((await sync('datasets: checkpoints:x/')).whole).toMatchObject({ copied: 0, same: 2 });
  await run('cp d/e/two datasets:one');
  expect((await sync('datasets: checkpoints:x/')).rows).toMatchObject([{ to: 'checkpoints:x/one' }]);
  expect(await keys('checkpoints:')).toEqual(['x/e/two', 'x/one']);
});

describe('--delete', () => {
  it('removes what only the target has, and only there', async () => {
    const { sync, keys, at, run } = start();
    await sync('d datasets:x');
    await run('cp d/one datasets:x/d/other/');
    await run('cp d/one datasets:x/beside');
    rmSync(at('d/e'), { recursive: true });
    const ran = await sync('d datasets:x --delete --yes');
    expect(ran.rows.map(({ from, removed }) => [from, removed])).toEqual([
      ['datasets:x/d/e/two', true],
      ['datasets:x/d/other/one', true],
    ]);
    expect(await keys('datasets:')).toEqual(['x/beside', 'x/d/one']);
  });

  it('removes files of this machine, and the folders that they leave empty', async () => {
    const { sync, at, write } = start();
    await sync('d/ datasets:');
    write('back/old/deep/file', 'x');
    write('back/e/extra', 'x');
    expect((await sync('datasets: back --delete --yes')).code).toBe(0);
    expect(filesIn(at('back'))).toEqual(['e/two', 'one']);
    expect(existsSync(at('back/old'))).toBe(false);
  });

  it('says what it removes and asks; what is changed meanwhile stays', async () => {
    const { at, write, cwd } = start();
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
    expect((await run('ls -R datasets:')).out).toMatch(/e\/two[^]*four[^]*new/);
    for (const name of ['one', 'three']) expect((await run(`ls datasets:${name}`)).code).toBe(4);
  });

  it('removes nothing where a listing of the target fails in the middle', async () => {
    const { account, at, sync, cwd } = start();
    const env = { BERTH_DATA_DIR: temporaryDirectory() };
    await sync('d/ datasets:', { env });
    const root = path.join(env.BERTH_DATA_DIR, 'local/volumes');
    const volume = path.join(root, readdirSync(root)[0] ?? '', 'vol-datasets');
    mkdirSync(path.join(volume, 'many'));
    // Two pages, of which the second is never read.
    for (let count = 0; count < 1001; count++) writeFileSync(path.join(volume, 'many', String(count)), '');
    rmSync(at('d/one'));
    await account('local fault add files-same-token', { cwd, env });
    const ran = await sync('d/ datasets: --delete --yes', { env });
    expect([ran.code, ran.err]).toMatchObject([7, expect.stringContaining('circles')]);
    expect(filesIn(volume)).toHaveLength(1003);
    await account('local fault clear', { cwd, env });
    expect((await sync('d/ datasets: --delete --yes', { env })).code).toBe(0);
    expect(filesIn(volume)).toEqual(['e/two']);
  });

  it('by two syncs at once leaves what the source has', async () => {
    const { sync, keys, write, run } = start();
    for (let count = 0; count < 20; count++) {
      write(`d/${String(count)}`, String(count));
      write(`old/${String(count)}`, 'old');
    }
    await run('cp -R old datasets:');
    const both = await Promise.all([1, 2].map(() => sync('d/ datasets: --delete --yes')));
    for (const ran of both) expect(ran.code, ran.err).toBe(0);
    expect(await keys('datasets:')).toHaveLength(22);
  });

  it('does not remove everything because the source is empty, unless that is meant', async () => {
    const { sync, keys, at } = start();
    await sync('d/ datasets:');
    mkdirSync(at('unmounted'));
    const refused = await sync('unmounted/ datasets: --delete --yes');
    expect([refused.code, refused.err]).toMatchObject([2, expect.stringContaining('--allow-empty')]);
    expect(await keys('datasets:')).toHaveLength(2);
    expect((await sync('unmounted/ datasets: --delete --yes --allow-empty')).code).toBe(0);
    expect(await keys('datasets:')).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)('removes nothing where a folder of the source cannot be read', async () => {
    const { sync, keys, at } = start();
    await sync('d/ datasets:');
    rmSync(at('d/one'));
    chmodSync(at('d/e'), 0);
    const ran = await sync('d/ datasets: --delete --yes');
    chmodSync(at('d/e'), 0o700);
    expect(ran.code).toBe(14);
    expect(await keys('datasets:')).toEqual(['e/two', 'one']);
  });

  it('removes nothing in a dry run, and says what it would', async () => {
    const { sync, keys, at } = start();
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
    const { sync, write, keys } = start();
    write('d/logs/a.log', 'log');
    write('d/.hidden', '');
    expect((await sync(`d/ datasets: ${flags}`)).code).toBe(0);
    expect(await keys('datasets:')).toEqual(expected);
  });

  it('are the ignore files of the source, as git reads them', async () => {
    const { sync, write, keys } = start();
    write('d/.gitignore', '*.log\nbuild/\n');
    write('d/a.log', '');
    write('d/e/.gitignore', '!kept.log\n/two\n');
    write('d/e/kept.log', '');
    write('d/build/x', '');
    expect((await sync('d/ datasets: --ignore-file .gitignore')).code).toBe(0);
    expect(await keys('datasets:')).toEqual(['.gitignore', 'e/.gitignore', 'e/kept.log', 'one']);
  });

  it('protect what they leave out from --delete', async () => {
    const { sync, keys, at } = start();
    await sync('d/ datasets:');
    rmSync(at('d/e'), { recursive: true });
    await sync('d/ datasets: --exclude e --delete --yes');
    expect(await keys('datasets:')).toEqual(['e/two', 'one']);
  });
});

test('what failed can be fed back as a list', async () => {
  const { run, write, sync, at } = start();
  write('d/a\tb', '');
  const ran = await run("sync d/ datasets: --jq 'select(.ok == false) | .path' --raw");
  expect([ran.code, ran.out]).toEqual([14, 'a\tb\n']);
  writeFileSync(at('failed'), ran.out);
  expect((await sync('d/ datasets: --files-from failed')).rows).toMatchObject([{ path: 'a\tb', ok: false }]);
});

test('only the files of a list are copied with --files-from', async () => {
  const { sync, write, keys } = start();
  write('list', './e/two\n\n');
  expect((await sync('d/ datasets: --files-from list')).code).toBe(0);
  expect(await keys('datasets:')).toEqual(['e/two']);
  write('list', '../x\n');
  expect((await sync('d/ datasets: --files-from list')).code).toBe(2);
});

describe('what cannot be there is refused, and the rest is done', () => {
  it('a name with control characters, and one of two names that are the same on some systems', async () => {
    const { sync, write, keys } = start();
    write('d/a\tb', '');
    write('d/ONE', '');
    const ran = await sync('d/ datasets:');
    expect(ran.code).toBe(14);
    expect(ran.rows.filter(({ ok }) => ok === false).map(({ error }) => error?.message)).toEqual([
      expect.stringContaining('control characters'),
      expect.stringContaining('the same on some systems'),
    ]);
    expect(await keys('datasets:')).toEqual(['ONE', 'e/two']);
  });

  it('a file where a folder must be, and a folder where a file must be', async () => {
    const { sync, write, at } = start();
    await sync('d/ datasets:');
    write('back/e', 'a file');
    mkdirSync(at('back/one'));
    const ran = await sync('datasets: back');
    expect(ran.rows.map(({ error }) => error?.message).sort()).toEqual([
      expect.stringContaining('a file is where its folder must be'),
      expect.stringContaining('a folder is in its place'),
    ]);
    expect(readFileSync(at('back/e'), 'utf8')).toBe('a file');
  });

  it('names of Windows where it writes there', async () => {
    const { sync, write, at } = start();
    write('d/con', '');
    await sync('d/ datasets:');
    const ran = await sync('datasets: back', { platform: 'win32' });
    expect(ran.rows.find(({ ok }) => ok === false)?.error?.message).toContain('Windows has no such names');
    expect(filesIn(at('back'))).toEqual(['e/two', 'one']);
  });

  it('a folder of the target that is a link: nothing is written out of the target', async () => {
    const { sync, at } = start();
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
    const { sync, at, keys, run } = start();
    symlinkSync('one', at('d/link'));
    symlinkSync('/etc', at('d/folder'));
    await run('cp d/one datasets:link');
    const ran = await sync('d/ datasets: --delete --yes');
    expect(ran.err).toContain('d/link is left out: it is a link.');
    expect(ran.err).toContain('d/folder is left out: it is a link.');
    expect(await keys('datasets:')).toEqual(['e/two', 'link', 'one']);
  });

  it('are followed with --follow-links, but not in circles', async () => {
    const { sync, at, keys } = start();
    symlinkSync('one', at('d/link'));
    symlinkSync('..', at('d/e/up'));
    symlinkSync('.', at('d/self'));
    symlinkSync('nowhere', at('d/broken'));
    const ran = await sync('d/ datasets: --follow-links');
    expect(ran.err).toContain('d/e/up is left out: it is a link to a folder that it is in');
    expect(ran.err).toContain('d/self is left out');
    expect(ran.err).toContain('d/broken is left out');
    expect(await keys('datasets:')).toEqual(['e/two', 'link', 'one']);
  });
});

test('an executable file stays one when its content is replaced; an upload says that it is lost', async () => {
  const { sync, at, write, run } = start();
  chmodSync(at('d/one'), 0o755);
  expect((await sync('d/ datasets:')).err).toContain('1 file can be executed: a volume does not keep that.');
  write('d/e/new', 'content');
  await run('cp d/e/new datasets:one');
  await sync('datasets: d/');
  expect(readFileSync(at('d/one'), 'utf8')).toBe('content');
  expect(statSync(at('d/one')).mode & 0o100).toBe(0o100);
});
