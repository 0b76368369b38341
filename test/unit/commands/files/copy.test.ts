import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { berth } from '../../../support/worlds/run-berth.ts';
import { filesIn, startSync } from '../../../support/worlds/synced-folder.ts';

const MIB = 1_048_576;

const containing = (text: string) => expect.stringContaining(text) as string;

describe('where a copy goes', () => {
  it.each([
    ['cp d/one datasets:', ['one']],
    ['cp d/one datasets:a', ['a']],
    ['cp d/one datasets:/a//b/', ['a/b/one']],
    ['cp d/one d/e/two datasets:x/', ['x/one', 'x/two']],
    ['cp -r d datasets:', ['e/two', 'one']],
    ['cp -r d datasets:x', ['x/e/two', 'x/one']],
    ['cp -r d/ datasets:x/', ['x/e/two', 'x/one']],
    ['cp -r d datasets: --exclude e', ['one']],
    ['cp -r . datasets:x', ['x/d/e/two', 'x/d/one']],
    ['cp -r d d/one datasets:x/', ['x/d/e/two', 'x/d/one', 'x/one']],
  ])('%s', async (line, expected) => {
    const { run, keys } = startSync();
    const ran = await run(line);
    expect(ran.code, ran.err).toBe(0);
    expect(await keys('datasets:')).toEqual(expected);
  });

  it.each([
    ['cp datasets:d/one back', ['back']],
    ['cp datasets:d/e/two d', ['d/two']],
    ['cp datasets:d/one new/', ['new/one']],
    ['cp -r datasets:d new', ['new/one', 'new/e/two']],
    ['cp -r datasets:d/ d/e/', ['d/e/one', 'd/e/e/two']],
    ['cp -r datasets: new', ['new/d/one', 'new/d/e/two']],
  ])('%s', async (line, expected) => {
    const { run, at } = startSync();
    await run('cp -r d datasets:d');
    const ran = await run(line);
    expect(ran.code, ran.err).toBe(0);
    for (const name of expected) expect(existsSync(at(name)), name).toBe(true);
  });

  it('is the folder that the target is, and another volume', async () => {
    const { run, json, keys } = startSync();
    await run('cp d/one datasets:x/');
    await run('cp d/e/two datasets:x');
    expect(await keys('datasets:')).toEqual(['x/one', 'x/two']);
    expect((await json('cp -r datasets:x checkpoints:y')).rows).toMatchObject([
      { from: 'datasets:x/one', to: 'checkpoints:y/one', ok: true },
      { from: 'datasets:x/two', to: 'checkpoints:y/two', ok: true },
    ]);
  });

  it.each([
    ['up', 50, 'cp -r many datasets:m', ['PUT'], 2],
    ['down', 50, 'cp -r datasets:m back', ['GET'], 1],
    ['up', 10, 'cp -r many datasets:m', ['HEAD', 'PUT', 'HEAD'], 0],
  ])('takes a request a file %s (%i files), and listings', async (direction, count, line, expected, listings) => {
    const { run, write } = startSync();
    for (let each = 0; each < count; each += 1) write(`many/f${String(each)}`, String(each));
    if (direction === 'down') await run('cp -r many datasets:m');
    const { code, err } = await run(`${line} --verbose`);
    const sent = [...err.matchAll(/(\w+) http:\/\/localhost\/vol-datasets\/(\S*)/g)];
    const ofOne = sent.filter(([, , key]) => key === 'm/f7').map(([, method]) => method);
    expect([code, ofOne]).toEqual([0, expected]);
    expect(sent.filter(([, , key = '']) => key.startsWith('?')).length).toBeLessThanOrEqual(listings + 1);
  });
});

test.each([
  ['cp one two', 2, 'both on this machine'],
  ['cp one', 2, 'needs a source and a target'],
  ['cp d datasets:x', 2, 'is a folder'],
  ['cp d/one datasets:../x', 2, 'no "." or ".."'],
  ['cp none datasets:x', 4, 'no such file or folder'],
  ['cp datasets:none x', 4, 'no such file or folder'],
  ['cp d/one nowhere:x', 4, 'volume'],
  ['cp - datasets:', 2, 'is a folder'],
  ['cp - datasets:f', 2, 'is a folder'],
  ['cp datasets:f -', 2, 'is a folder'],
  ['cp - file', 2, 'one file on a volume'],
  ['cp d/one - datasets:', 2, 'one file on a volume'],
  ['cp -r datasets:f -', 2, 'without --recursive'],
  ['cat datasets:f', 2, 'files ls'],
  ['mv - datasets:x', 2, 'cannot copy to or from'],
  ['mv datasets:f/one datasets:f/one', 2, 'into itself'],
  ['mv datasets:f/one vol-datasets:f/one', 2, 'into itself'],
  ['mv -r datasets: vol-datasets:x', 2, 'is in the other'],
  ['mv datasets:none datasets:x', 4, 'no such file'],
  ['rm datasets:f/one', 2, 'needs confirmation'],
  ['rm datasets:f --yes', 2, 'is a folder'],
  ['rm datasets:none --yes', 4, 'no such file'],
  ['ls datasets:f/*/none', 4, 'no such file'],
])('%s is refused (%i), and changes nothing', async (line, code, says) => {
  const { run, keys } = startSync();
  await run('cp d/one datasets:f/');
  expect(await run(line, { stdin: 'x' })).toMatchObject({ code, err: containing(says) });
  expect(await keys('datasets:')).toEqual(['f/one']);
});

test('the access of a profile is kept: a reader writes nothing, a writer removes nothing', async () => {
  const { run, keys } = startSync();
  await run('cp d/one datasets:');
  for (const [line, access] of [
    ['cp d/one datasets:x', 'read'],
    ['cp d/one datasets:x --dry-run', 'read'],
    ['sync d/ datasets:x', 'read'],
    ['sync d/ datasets: --delete --yes', 'write'],
    ['mv datasets:one datasets:x', 'write'],
    ['rm datasets:one --yes', 'write'],
  ] as const)
    expect((await run(line, { env: { BERTH_ACCESS: access } })).code, line).toBe(3);
  expect(await keys('datasets:')).toEqual(['one']);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['any bytes', Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 7) % 256))],
  ['more than a part', Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => `${String(at)} `).join(''))],
])('%s arrives as it is, from a file and from standard input, and no temporary file stays', async (_, content) => {
  const { run, json, write, at } = startSync();
  write('ünï #?&+%.bin', content);
  expect((await run("cp 'ünï #?&+%.bin' datasets:x/")).code).toBe(0);
  expect((await run("cp 'datasets:x/ünï #?&+%.bin' back/ --verify")).code).toBe(0);
  expect(readFileSync(at('back/ünï #?&+%.bin')).equals(content)).toBe(true);
  expect(filesIn(at('back'))).toEqual(['ünï #?&+%.bin']);
  const piped = await json('cp - datasets:d/file', { stdin: content });
  expect(piped.rows, piped.err).toEqual([{ from: '-', to: 'datasets:d/file', bytes: content.byteLength, ok: true }]);
  await run('cp datasets:d/file back/');
  expect(readFileSync(at('back/file')).equals(content)).toBe(true);
  expect((await run('cp datasets:d/file -')).out === content.toString()).toBe(true);
});

test('a large file comes in ranges of 16 MiB, also where it is verified', async () => {
  const content = Buffer.concat(Array.from({ length: 70 }, (_, at) => Buffer.alloc(MIB, `${String(at)} `)));
  const { run, write, at } = startSync();
  write('large', content);
  await run('cp large datasets:a');
  const ran = await run('cp datasets:a back --verbose --verify');
  expect(ran.code, ran.err).toBe(0);
  const starts = [...ran.err.matchAll(/range: bytes=(\d+)-/g)].map(([, from]) => Number(from) / MIB).sort();
  expect(starts).toEqual([0, 16, 32, 48, 64]);
  expect(readFileSync(at('back')).equals(content)).toBe(true);
});

test('the same copy again sends and reads only what differs', async () => {
  const { run, json, write, at } = startSync();
  await run('cp -r d datasets:');
  write('d/e/two', 'TWO!');
  const up = await json('cp -r d datasets:');
  expect(up.rows).toEqual([
    { from: 'd/e/two', to: 'datasets:e/two', bytes: 4, ok: true },
    { from: 'd/one', to: 'datasets:one', bytes: 3, same: true, ok: true },
  ]);
  expect(up.err).toContain('1 file copied, 4 B; 1 file the same');
  expect((await run('cat datasets:e/two')).out).toBe('TWO!');
  await run('cp -r datasets: back');
  write('back/one', 'other');
  expect((await json('cp -r datasets: back')).rows).toMatchObject([{ same: true }, { ok: true }]);
  expect(readFileSync(at('back/one'), 'utf8')).toBe('one');
});

test('a file that was downloaded has the permissions of any new file, and the time of the file on the volume', async () => {
  const { run, at, write } = startSync();
  await run('cp d/one datasets:a');
  await run('cp datasets:a back');
  write('other', '');
  expect(statSync(at('back')).mode).toBe(statSync(at('other')).mode);
  const [{ modifiedAt }] = JSON.parse((await run('ls datasets:a --json')).out) as [{ modifiedAt: string }];
  expect(Math.floor(statSync(at('back')).mtimeMs)).toBe(Date.parse(modifiedAt));
});

test('a pipe or a device in the place of a file stays, and the copy fails (14)', async () => {
  const { run, json, at } = startSync();
  await run('cp d/one datasets:a');
  symlinkSync('/dev/null', at('back'));
  const { code, out } = await json('cp datasets:a back');
  expect([code, out]).toEqual([14, containing('is not a regular file')]);
  expect(lstatSync(at('back')).isSymbolicLink()).toBe(true);
  expect(readdirSync(at('')).sort()).toEqual(['back', 'd']);
});

describe('names', () => {
  it('that differ in case are two files, but for where the file system of the target folds them', async () => {
    const { run, json, write, at, keys } = startSync();
    write('d/ONE', 'x');
    expect((await run('cp -r d datasets:')).code).toBe(0);
    expect(await keys('datasets:')).toEqual(['ONE', 'e/two', 'one']);
    expect((await run('cp -r datasets: back')).code).toBe(0);
    expect(filesIn(at('back'))).toEqual(['ONE', 'e/two', 'one']);
    mkdirSync(at('fold'));
    symlinkSync('fold', at('FOLD'));
    const ran = await json('cp -r datasets: fold');
    expect([ran.code, ran.rows.filter(({ ok }) => ok === false)]).toMatchObject([
      14,
      [{ from: 'datasets:one', error: { message: containing('that of another file') } }],
    ]);
  });

  it('that cannot be on the other side fail by name, and the rest is copied', async () => {
    const { run, json, sync, at, write, keys } = startSync();
    writeFileSync(Buffer.concat([Buffer.from(`${at('d')}/bad`), Buffer.from([0xff])]), 'x');
    mkdirSync(Buffer.concat([Buffer.from(`${at('d')}/folder`), Buffer.from([0xfe])]));
    write('d/a\tb', '');
    write(`d/${'d/'.repeat(201)}f`, 'x');
    const ran = await json('cp -r d datasets:');
    expect([ran.code, ran.rows.filter(({ ok }) => ok === false).map(({ error }) => error?.message)]).toEqual([
      14,
      ['control characters', 'more than 200 nested folders', 'd/bad', 'd/folder'].map(containing),
    ]);
    expect(await keys('datasets:')).toEqual(['e/two', 'one']);
    await run('cp d/one datasets:con');
    const windows = await sync('datasets: back', { platform: 'win32' });
    expect(windows.rows.find(({ ok }) => ok === false)?.error?.message).toContain('Windows does not allow this name');
    expect(filesIn(at('back'))).toEqual(['e/two', 'one']);
  });
});

test('a dry run says what would be copied, moved or removed, and does nothing', async () => {
  const { run, json, keys, at } = startSync();
  const copied = await json('cp -r d datasets:x --dry-run');
  expect(copied.rows).toEqual([
    { from: 'd/e/two', to: 'datasets:x/e/two', bytes: 4 },
    { from: 'd/one', to: 'datasets:x/one', bytes: 3 },
  ]);
  expect(copied.err).toContain('2 files would be copied, 7 B');
  expect((await run('cp - datasets:file --dry-run', { stdin: 'x' })).code).toBe(0);
  expect(await keys('datasets:')).toEqual([]);
  await run('cp -r d datasets:x');
  for (const line of ['cp -r datasets:x/ back', 'mv datasets:x/one datasets:y', 'rm -r datasets:x'])
    expect((await run(`${line} --dry-run`)).code).toBe(0);
  expect(existsSync(at('back'))).toBe(false);
  expect(await keys('datasets:')).toEqual(['x/e/two', 'x/one']);
});

describe('files mv', () => {
  it('copies within a volume at the service, and leaves nothing behind', async () => {
    const { run, keys, at } = startSync();
    await run('cp -r d datasets:d');
    const ran = await run('mv -r datasets:d datasets:x --verbose');
    expect([ran.code, ran.err]).toEqual([0, containing('x-amz-copy-source')]);
    expect(await keys('datasets:')).toEqual(['x/e/two', 'x/one']);
    expect((await run('cat datasets:x/e/two')).out).toBe('two!');
    for (const line of ['mv d/one datasets:one', 'mv datasets:one checkpoints:two', 'mv checkpoints:two back/'])
      expect((await run(line)).code).toBe(0);
    expect(existsSync(at('d/one'))).toBe(false);
    expect([await keys('datasets:one').catch(() => []), await keys('checkpoints:')]).toEqual([[], []]);
    expect(filesIn(at('back'))).toEqual(['two']);
  });

  it('keeps a file whose copy did not go through', async () => {
    const { run, keys, account } = startSync();
    await run('cp d/one datasets:');
    await account('local fault add files-full');
    expect((await run('mv datasets:one datasets:x')).code).toBe(5);
    expect(await keys('datasets:')).toEqual(['one']);
  });
});

test('files rm removes a file, or a folder with --recursive and the folders in it', async () => {
  const { run, json } = startSync();
  await run('cp -r d datasets:d');
  expect((await run('rm datasets:d/one --yes')).code).toBe(0);
  expect((await json('rm -r datasets:d --yes')).rows.map(({ from }) => from)).toEqual(['datasets:d/e/two']);
  expect((await json('ls datasets:')).rows).toEqual([]);
  await run('cp d/e/two datasets:d/e/');
  await run('rm datasets:d/e/two --yes');
  expect((await run('rm -r datasets:d --dry-run')).code).toBe(0);
  expect((await json('ls datasets:')).rows).toHaveLength(1);
  // Nothing is lost: nobody is asked.
  expect((await run('rm -r datasets:d', { tty: true })).code).toBe(0);
  expect((await json('ls datasets:')).rows).toEqual([]);
});

test('files du shows the folders below a place, the largest first, and the sum', async () => {
  const { run, json } = startSync();
  await run('cp -r d datasets:');
  await run('cp d/one datasets:other/');
  expect((await json('du datasets')).rows).toEqual([
    { path: 'e/', files: 1, bytes: 4 },
    { path: 'other/', files: 1, bytes: 3 },
    { path: '', files: 3, bytes: 10 },
  ]);
});

test('files cat prints the bytes; on a terminal control characters are shown', async () => {
  const { run, write } = startSync();
  write('one', 'a\u001b[31mb\n');
  await run('cp one datasets:');
  expect(await run('cat datasets:one')).toMatchObject({ code: 0, out: 'a\u001b[31mb\n' });
  expect((await run('cat datasets:one', { tty: true })).out).not.toContain('\u001b[31m');
});

describe('files ls', () => {
  it('shows time and ETag with -l, and -lh is the same; folders alone have no footer', async () => {
    const { run } = startSync();
    await run('cp d/one datasets:x/one');
    const long = await run('ls -l datasets:x');
    expect(long.out).toMatch(/3 B\s+\d{4}-\d\d-\d\dT\S+\s+x\/one\s+f97c5d29941bfb1b2fdab0874906ab82/);
    expect((await run('ls -lh datasets:x')).out).toBe(long.out);
    expect(long.err).toBe('1 file, 3 B\n');
    expect((await run('ls datasets:')).err).toBe('');
  });

  it('has ages by the clock of this machine, also where that of the local service was moved', async () => {
    const [clock, env] = [createTestClock(Date.now()), { BERTH_DATA_DIR: temporaryDirectory() }];
    const { cwd } = startSync();
    const run = (line: string) => berth(['--local', ...line.split(' ')], { cwd, clock, env });
    await run('local clock advance 5h');
    await run('files cp d/one datasets:one');
    expect((await run('files ls datasets:')).out).toMatch(/^3 B\s+0s\s+one$/m);
  });

  it.each([
    ['runs/*/model.pt', ['runs/a/model.pt', 'runs/b/model.pt']],
    ['runs/[a]/*', ['runs/a/log.txt', 'runs/a/model.pt']],
    ['**.txt', ['runs/a/log.txt']],
    ['{one,two}', ['one']],
    ['o*', ['one', 'other*']],
    ['other*', ['other*']],
  ])('takes a pattern, as cp, mv, cat and rm do: %s', async (pattern, expected) => {
    const { run, json, write, keys, at } = startSync();
    for (const name of ['runs/a/model.pt', 'runs/a/log.txt', 'runs/b/model.pt', 'one', 'other*'])
      write(`v/${name}`, '');
    await run('cp -r v datasets:');
    const all = await keys('datasets:');
    const { rows } = await json(`ls 'datasets:${pattern}'`);
    expect(rows).toMatchObject(expected.map((name) => ({ path: name })));
    await run(`cp 'datasets:${pattern}' back/`);
    expect(filesIn(at('back'))).toEqual([...new Set(expected.map((name) => name.split('/').at(-1)))].sort());
    expect((await run(`rm 'datasets:${pattern}' --yes`)).code).toBe(0);
    expect(await keys('datasets:')).toEqual(all.filter((name) => !expected.includes(name)));
  });
});
