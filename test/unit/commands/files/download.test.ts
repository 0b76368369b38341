import { createHash } from 'node:crypto';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { createAccount } from '../../../support/worlds/local-account.ts';

const MIB = 1_048_576;
const PART = 16 * MIB;

const md5 = (content: string | Uint8Array): Buffer => createHash('md5').update(content).digest();

/** A folder of this machine with the file `source`, and a volume that has it as `a`. */
async function start(content: Buffer = Buffer.from('the content of a file')) {
  const account = createAccount();
  const cwd = temporaryDirectory();
  const source = path.join(cwd, 'source');
  writeFileSync(source, content);
  const run = (line: string) => account(`files ${line}`, { cwd });
  expect((await run('cp source datasets:a')).code).toBe(0);
  const digests = Array.from({ length: Math.ceil(content.byteLength / PART) }, (_, at) =>
    md5(content.subarray(at * PART, (at + 1) * PART)),
  );
  const etag =
    digests.length <= 1
      ? md5(content).toString('hex')
      : `${md5(Buffer.concat(digests)).toString('hex')}-${String(digests.length)}`;
  const mark = createHash('sha256').update(`a\n"${etag}"`).digest('hex').slice(0, 12);
  const temporary = path.join(cwd, `.berth-${mark}`);
  return {
    run,
    cwd,
    source,
    target: path.join(cwd, 'back'),
    partial: `${temporary}.partial`,
    record: `${temporary}.ranges`,
  };
}

/** 40 MiB, each MiB with its own content: three ranges. */
const LARGE = Buffer.concat(
  Array.from({ length: 40 }, (_, at) => Buffer.alloc(MIB, createHash('sha256').update(String(at)).digest())),
);

/** The ranges that a command asked for, from its traces. */
const rangesOf = (trace: string): readonly string[] =>
  [...trace.matchAll(/range: bytes=(\d+)-/g)].map(([, from]) => String(Number(from) / PART)).sort();

describe('a download of several ranges', () => {
  it('that was killed reads only those that were not whole', async () => {
    const { run, target, partial, record, cwd } = await start(LARGE);
    writeFileSync(partial, LARGE.subarray(0, PART));
    // The last line was not written to its end.
    writeFileSync(record, `ranges of ${String(PART)} bytes\n0\n1`);
    const ran = await run('cp datasets:a back --verbose');
    expect(ran.code, ran.err).toBe(0);
    expect(rangesOf(ran.err)).toEqual(['1', '2']);
    expect(readFileSync(target).equals(LARGE)).toBe(true);
    expect(readdirSync(cwd).sort()).toEqual(['back', 'source']);
    expect([existsSync(partial), existsSync(record)]).toEqual([false, false]);
  });

  it('whose remains are wrong is read once more', async () => {
    const { run, target, partial, record } = await start(LARGE);
    writeFileSync(partial, Buffer.alloc(PART, 'x'));
    writeFileSync(record, `ranges of ${String(PART)} bytes\n0\n`);
    const ran = await run('cp datasets:a back --verbose');
    expect(ran.code, ran.err).toBe(0);
    expect(rangesOf(ran.err)).toEqual(['0', '1', '1', '2', '2']);
    expect(readFileSync(target).equals(LARGE)).toBe(true);
  });

  it.each(['', 'ranges of 5 bytes\n0\n1\n2\n', 'something else'])(
    'does not use a record that is not its own: %j',
    async (text) => {
      const { run, target, partial, record } = await start(LARGE);
      writeFileSync(partial, Buffer.alloc(50 * MIB, 'x'));
      writeFileSync(record, text);
      const ran = await run('cp datasets:a back --verbose');
      expect(ran.code, ran.err).toBe(0);
      expect(rangesOf(ran.err)).toEqual(['0', '1', '2']);
      expect(readFileSync(target).equals(LARGE)).toBe(true);
    },
  );
});

test('a record whose ranges are gone is not used, and one that a download left at its end is removed', async () => {
  const { run, target, record, cwd } = await start(LARGE);
  writeFileSync(record, `ranges of ${String(PART)} bytes\n0\n1\n2\n`);
  const ran = await run('cp datasets:a back --verbose');
  expect(ran.code, ran.err).toBe(0);
  expect(rangesOf(ran.err)).toEqual(['0', '1', '2']);
  writeFileSync(record, `ranges of ${String(PART)} bytes\n0\n1\n2\n`);
  expect((await run('cp datasets:a back --json')).out).toContain('"same"');
  expect(readFileSync(target).equals(LARGE)).toBe(true);
  expect(readdirSync(cwd).sort()).toEqual(['back', 'source']);
});

test('what an earlier download of a small file left is written over', async () => {
  const { run, target, partial, cwd } = await start();
  writeFileSync(partial, 'X'.repeat(1000));
  expect((await run('cp datasets:a back')).code).toBe(0);
  expect(readFileSync(target, 'utf8')).toBe('the content of a file');
  expect(readdirSync(cwd).sort()).toEqual(['back', 'source']);
});

test('what an earlier download of another version left is not used', async () => {
  const { run, cwd, target, partial } = await start();
  writeFileSync(partial, 'XXXXXXXXXX');
  writeFileSync(path.join(cwd, 'source'), 'another content');
  await run('cp source datasets:a');
  expect((await run('cp datasets:a back')).code).toBe(0);
  expect(readFileSync(target, 'utf8')).toBe('another content');
});

describe('where something else is in the place of the file, it stays, and the copy fails (14):', () => {
  const put: Readonly<Record<string, (at: string) => void>> = {
    'a pipe': (at) => execFileSync('mkfifo', [at]),
    'a link to a pipe': (at) => {
      execFileSync('mkfifo', [`${at}-pipe`]);
      symlinkSync(`${at}-pipe`, at);
    },
    'a link to a device': (at) => {
      symlinkSync('/dev/null', at);
    },
  };
  // Without mkfifo there is no pipe to put there.
  it.skipIf(spawnSync('mkfifo', ['--version']).status !== 0).each(Object.keys(put))('%s', async (kind) => {
    const { run, cwd, target } = await start();
    put[kind]?.(target);
    const before = lstatSync(target).ino;
    const { code, out } = await run('cp datasets:a back --json');
    expect([code, out]).toEqual([14, expect.stringContaining('is not a regular file')]);
    expect(lstatSync(target).ino).toBe(before);
    expect(readdirSync(cwd).filter((name) => name.startsWith('.berth'))).toEqual([]);
  });
});

test('an empty file is one here too', async () => {
  const { run, target } = await start(Buffer.alloc(0));
  expect((await run('cp datasets:a back')).code).toBe(0);
  expect(statSync(target).size).toBe(0);
});

test('a file that was downloaded has the permissions of any new file, and the time of the file on the volume', async () => {
  const { run, cwd, target } = await start();
  await run('cp datasets:a back');
  writeFileSync(path.join(cwd, 'other'), '');
  expect(statSync(target).mode).toBe(statSync(path.join(cwd, 'other')).mode);
  const [{ modifiedAt }] = JSON.parse((await run('ls datasets:a --json')).out) as [{ modifiedAt: string }];
  expect(Math.floor(statSync(target).mtimeMs)).toBe(Date.parse(modifiedAt));
  utimesSync(target, 1, 1);
  expect((await run('cp datasets:a back --json')).out).toContain('"same"');
});
