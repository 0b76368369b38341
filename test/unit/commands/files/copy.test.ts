import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

interface Row {
  readonly from: string;
  readonly to?: string;
  readonly ok: boolean;
  readonly error?: { readonly message: string };
}

/** The files of an output in JSON, without the object for the whole. */
const rowsOf = (out: string): readonly Row[] =>
  out.startsWith('[')
    ? (JSON.parse(out) as readonly (Row & { whole?: unknown })[]).filter(({ whole }) => whole === undefined)
    : [];

/** An account, and a folder with files in it: `one`, `d/two`, `d/e/three`. */
function start() {
  const account = createAccount();
  const folder = temporaryDirectory();
  mkdirSync(path.join(folder, 'd/e'), { recursive: true });
  writeFileSync(path.join(folder, 'one'), 'one');
  writeFileSync(path.join(folder, 'd/two'), 'two!');
  writeFileSync(path.join(folder, 'd/e/three'), 'three');
  const files = async (line: string) => {
    const ran = await account(`files ${line}`, { cwd: folder });
    return { ...ran, rows: rowsOf(ran.out) };
  };
  const keys = async (place: string) =>
    (JSON.parse(await local(account, `files ls -r ${place} --json`)) as readonly { path: string }[]).map(
      (row) => row.path,
    );
  return { account, folder, files, keys };
}

describe('where a copy goes', () => {
  it.each([
    ['cp one datasets:', ['one']],
    ['cp one datasets:a', ['a']],
    ['cp one datasets:a/', ['a/one']],
    ['cp one datasets:/a//b', ['a/b']],
    ['cp one d/two datasets:x/', ['x/one', 'x/two']],
    ['cp -r d datasets:', ['e/three', 'two']],
    ['cp -r d datasets:x', ['x/e/three', 'x/two']],
    ['cp -r d/ datasets:x/', ['x/e/three', 'x/two']],
    ['cp -r d datasets: --exclude e', ['two']],
    ['cp -r . datasets:x', ['x/d/e/three', 'x/d/two', 'x/one']],
    ['cp -r d one datasets:x/', ['x/d/e/three', 'x/d/two', 'x/one']],
  ])('%s', async (line, expected) => {
    const { files, keys } = start();
    const ran = await files(`${line} --json`);
    expect(ran.code, ran.err).toBe(0);
    expect(await keys('datasets:')).toEqual(expected);
  });

  it.each([
    ['cp datasets:d/two back', ['back'], []],
    ['cp datasets:d/two d', [], ['d/two']],
    ['cp datasets:d/two new/', [], ['new/two']],
    ['cp -r datasets:d new', [], ['new/two', 'new/e/three']],
    ['cp -r datasets:d/ d/e/', [], ['d/e/two', 'd/e/e/three']],
    ['cp -r datasets: new', [], ['new/d/two', 'new/d/e/three']],
    ["cp -r 'datasets:d*' new", [], ['new/d/two', 'new/d/e/three']],
  ])('%s', async (line, files, below) => {
    const { files: run, folder } = start();
    await run('cp -r d datasets:d');
    const ran = await run(`${line} --json`);
    expect(ran.code, ran.err).toBe(0);
    for (const name of [...files, ...below]) expect(existsSync(path.join(folder, name)), name).toBe(true);
  });

  it.each([
    ['up', 50, 'cp -r many datasets:m', ['PUT'], 2],
    ['down', 50, 'cp -r datasets:m back', ['GET'], 1],
    ['up', 10, 'cp -r many datasets:m', ['HEAD', 'PUT', 'HEAD'], 0],
  ])('takes a request a file %s (%i files), and listings', async (direction, count, line, expected, listings) => {
    const { files, folder } = start();
    mkdirSync(path.join(folder, 'many'));
    for (let each = 0; each < count; each += 1) writeFileSync(path.join(folder, `many/f${String(each)}`), String(each));
    if (direction === 'down') await files('cp -r many datasets:m');
    const { code, err } = await files(`${line} --verbose`);
    const sent = [...err.matchAll(/(\w+) http:\/\/localhost\/vol-datasets\/(\S*)/g)];
    const ofOne = sent.filter(([, , key]) => key === 'm/f7').map(([, method]) => method);
    const lists = sent.filter(([, , key = '']) => key.startsWith('?'));
    expect([code, ofOne]).toEqual([0, expected]);
    expect(lists.length).toBeLessThanOrEqual(listings + 1);
  });

  it('is into the folder that the target is, on the volume too', async () => {
    const { files, keys } = start();
    await files('cp one datasets:x/');
    await files('cp d/two datasets:x');
    expect(await keys('datasets:')).toEqual(['x/one', 'x/two']);
  });

  it('is another volume, through this machine', async () => {
    const { files, keys } = start();
    await files('cp -r d datasets:d');
    expect((await files('cp -r datasets:d checkpoints:runs --json')).rows).toMatchObject([
      { from: 'datasets:d/e/three', to: 'checkpoints:runs/e/three', ok: true },
      { from: 'datasets:d/two', to: 'checkpoints:runs/two', ok: true },
    ]);
    expect(await keys('checkpoints:')).toEqual(['runs/e/three', 'runs/two']);
  });
});

describe('a copy is refused', () => {
  it.each([
    ['cp one two', 2, 'none of the places is on a volume'],
    ['cp one', 2, 'needs a source and a target'],
    ['mv - datasets:x', 2, 'cannot copy to or from'],
    ['cp -r datasets:x datasets:x/y', 4, 'no such file or folder'],
    ['cp d datasets:x', 2, 'is a folder'],
    ['cp one datasets:../x', 2, 'no "." or ".."'],
    ['cp none datasets:x', 4, 'no such file or folder'],
    ['cp datasets:none x', 4, 'no such file or folder'],
    ['cp one nowhere:x', 4, 'volume'],
  ])('%s', async (line, code, says) => {
    const { files } = start();
    expect(await files(line)).toMatchObject({ code, err: expect.stringContaining(says) as string });
  });

  it('on a terminal with nothing of its progress left there', async () => {
    const { account, folder } = start();
    const { err } = await account('files cp d datasets:x', { cwd: folder, tty: true, columns: 200 });
    // The last thing on the screen is the error.
    expect(err.slice(err.lastIndexOf('the files'))).toContain('is a folder');
    expect(err).toContain('the files');
  });

  it('with the access of a reader', async () => {
    const { account, folder } = start();
    const env = { BERTH_ACCESS: 'read' };
    expect((await account('files cp one datasets:', { cwd: folder, env })).code).toBe(3);
    expect((await account('files rm datasets:one --yes', { cwd: folder, env })).code).toBe(3);
    const shown = await account('files cp one datasets: --dry-run', { cwd: folder, env });
    expect([shown.code, shown.out]).toEqual([3, expect.stringContaining('one')]);
  });
});

test('bytes arrive as they are, in both directions, and no temporary file stays', async () => {
  const { files, folder } = start();
  const content = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 7) % 256));
  writeFileSync(path.join(folder, 'ünï #?&+%.bin'), content);
  writeFileSync(path.join(folder, 'empty'), '');
  for (const name of ["'ünï #?&+%.bin'", 'empty']) {
    await files(`cp ${name} datasets:x/`);
    await files(`cp datasets:x/${name.replaceAll("'", '')} back/`.replace(/datasets:.*bin/, "'$&'"));
  }
  expect(readFileSync(path.join(folder, 'back/ünï #?&+%.bin')).equals(content)).toBe(true);
  expect(statSync(path.join(folder, 'back/empty')).size).toBe(0);
  expect(readdirSync(path.join(folder, 'back')).sort()).toEqual(['empty', 'ünï #?&+%.bin']);
});

describe('the same copy again', () => {
  it('sends only what differs, to a volume', async () => {
    const { files, folder } = start();
    await files('cp -r d/ datasets:');
    writeFileSync(path.join(folder, 'd/two'), 'TWO!');
    const ran = await files('cp -r d/ datasets: --json');
    expect(ran.rows).toMatchObject([
      { from: 'd/e/three', same: true },
      { from: 'd/two', ok: true },
    ]);
    expect(ran.rows[1]).not.toHaveProperty('same');
    expect(ran.err).toContain('1 file copied, 4 B (1 replaced); 1 file the same');
    expect((await files('cat datasets:two')).out).toBe('TWO!');
  });

  it('reads only what differs, from a volume', async () => {
    const { files, folder } = start();
    await files('cp -r d/ datasets:');
    await files('cp -r datasets: back');
    writeFileSync(path.join(folder, 'back/two'), 'other');
    expect((await files('cp -r datasets: back --json')).rows).toMatchObject([{ same: true }, { ok: true }]);
    expect(readFileSync(path.join(folder, 'back/two'), 'utf8')).toBe('two!');
  });
});

describe('names that differ in case', () => {
  it('are two files on a volume, and where the file system of the target takes both', async () => {
    const { files, folder, keys } = start();
    writeFileSync(path.join(folder, 'd/TWO'), 'x');
    expect((await files('cp -r d datasets:')).code).toBe(0);
    expect(await keys('datasets:')).toEqual(['TWO', 'e/three', 'two']);
    expect((await files('cp -r datasets: back')).code).toBe(0);
    expect(readdirSync(path.join(folder, 'back')).sort()).toEqual(['TWO', 'e', 'two']);
  });

  it('are refused but for the first where the file system of the target folds them', async () => {
    const { files, folder } = start();
    writeFileSync(path.join(folder, 'd/TWO'), 'x');
    await files('cp -r d datasets:');
    mkdirSync(path.join(folder, 'back'));
    symlinkSync('back', path.join(folder, 'BACK'));
    const ran = await files('cp -r datasets: back --json');
    expect([ran.code, ran.rows.filter(({ ok }) => !ok)]).toMatchObject([
      14,
      [{ from: 'datasets:two', error: { message: expect.stringContaining('that of another file') as string } }],
    ]);
  });
});

test('names that are not UTF-8 fail by name, of files and of folders, and the rest is copied', async () => {
  const { files, folder, keys } = start();
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/d/bad`), Buffer.from([0xff])]), 'x');
  mkdirSync(Buffer.concat([Buffer.from(`${folder}/d/folder`), Buffer.from([0xfe])]));
  const ran = await files('cp -r d datasets: --json');
  expect([ran.code, ran.rows.filter(({ ok }) => !ok).map(({ from }) => from)]).toEqual([
    14,
    [expect.stringContaining('d/bad'), expect.stringContaining('d/folder')],
  ]);
  expect(await keys('datasets:')).toEqual(['e/three', 'two']);
});

test('files in more than 200 nested folders are refused by name', async () => {
  const { folder, files } = start();
  mkdirSync(path.join(folder, 'deep', 'd/'.repeat(201)), { recursive: true });
  writeFileSync(path.join(folder, 'deep', 'd/'.repeat(201), 'f'), 'x');
  for (const line of ['cp -r deep/ datasets:', 'sync deep/ datasets:']) {
    const { code, err } = await files(line);
    expect([code, err]).toEqual([14, expect.stringContaining('more than 200 nested folders')]);
  }
});

test('a dry run says what would be copied or removed, and does neither', async () => {
  const { files, keys, folder } = start();
  const copied = await files('cp -r d datasets:x --dry-run --json');
  expect(copied.rows).toEqual([
    { from: 'd/e/three', to: 'datasets:x/e/three', path: 'e/three', bytes: 5 },
    { from: 'd/two', to: 'datasets:x/two', path: 'two', bytes: 4 },
  ]);
  expect(copied.err).toContain('2 files would be copied, 9 B');
  expect(await keys('datasets:')).toEqual([]);
  await files('cp -r d datasets:x');
  expect((await files('cp -r datasets:x/ back --dry-run')).code).toBe(0);
  expect(existsSync(path.join(folder, 'back'))).toBe(false);
  expect((await files('rm -r datasets:x --dry-run')).code).toBe(0);
  expect(await keys('datasets:')).toHaveLength(2);
});

describe('files rm', () => {
  it('removes a file, or a folder with --recursive, and asks', async () => {
    const { files, keys, account } = start();
    await files('cp -r d one datasets:');
    expect((await files('rm datasets:one')).code).toBe(2);
    expect((await files('rm datasets:d --yes')).code).toBe(2);
    expect((await files('rm datasets:one --yes')).code).toBe(0);
    expect((await files('rm -r datasets:d --yes --json')).rows.map(({ from }) => from)).toEqual([
      'datasets:d/e/three',
      'datasets:d/two',
    ]);
    expect((await files('rm datasets:one --yes')).code).toBe(4);
    // The folders are still there, and empty.
    expect(await keys('datasets:')).toEqual([]);
    // Where nothing is removed, nobody is asked.
    expect((await account('files rm -r datasets:d', { tty: true, stdin: 'n\n' })).code).toBe(0);
  });
});

test('files du shows the folders below a place, the largest first, and the sum', async () => {
  const { files, account } = start();
  await files('cp -r d one datasets:');
  await files('cp one datasets:other/');
  expect(JSON.parse(await local(account, 'files du datasets --json'))).toEqual([
    { path: 'd/', files: 2, bytes: 9 },
    { path: 'other/', files: 1, bytes: 3 },
    { path: '', files: 4, bytes: 15 },
  ]);
});

test('files cat prints the bytes; on a terminal control characters are shown', async () => {
  const { files, account, folder } = start();
  writeFileSync(path.join(folder, 'one'), 'a\u001b[31mb\n');
  await files('cp one datasets:');
  expect(await files('cat datasets:one')).toMatchObject({ code: 0, out: 'a\u001b[31mb\n' });
  const shown = await account('files cat datasets:one', { tty: true });
  expect(shown.out).not.toContain('\u001b[31m');
});

test('a folder is not printed', async () => {
  const { files } = start();
  await files('cp -r d datasets:d');
  expect(await files('cat datasets:d')).toMatchObject({ code: 2, err: expect.stringContaining('files ls') as string });
});

test('ls -l has time and ETag, and -lh is the same', async () => {
  const { files } = start();
  await files('cp one datasets:');
  const long = await files('ls -l datasets:');
  expect(long.out).toMatch(/3 B\s+\d{4}-\d\d-\d\dT\S+\s+one\s+f97c5d29941bfb1b2fdab0874906ab82/);
  expect((await files('ls -lh datasets:')).out).toBe(long.out);
});
