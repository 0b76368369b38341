import { createHash } from 'node:crypto';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
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

/** A folder of this machine with the file `source`, and a volume that has it as `a`. */
async function start(content: Buffer = Buffer.from('the content of a file')) {
  const account = createAccount();
  const cwd = temporaryDirectory();
  writeFileSync(path.join(cwd, 'source'), content);
  const run = (line: string) => account(`files ${line}`, { cwd });
  expect((await run('cp source datasets:a')).code).toBe(0);
  return { run, account, cwd, target: path.join(cwd, 'back') };
}

test('a large file comes in ranges of 16 MiB, also where it is verified', async () => {
  const content = Buffer.concat(
    Array.from({ length: 70 }, (_, at) => Buffer.alloc(MIB, createHash('sha256').update(String(at)).digest())),
  );
  const { run, target, cwd } = await start(content);
  const ran = await run('cp datasets:a back --verbose --verify');
  expect(ran.code, ran.err).toBe(0);
  const starts = [...ran.err.matchAll(/range: bytes=(\d+)-/g)].map(([, from]) => Number(from) / MIB).sort();
  expect(starts).toEqual([0, 16, 32, 48, 64]);
  expect(readFileSync(target).equals(content)).toBe(true);
  expect(readdirSync(cwd).sort()).toEqual(['back', 'source']);
});

test('leftovers of downloads are removed by the next cp or sync into that folder, and nothing else is', async () => {
  const { run, cwd } = await start();
  const put = (name: string, daysOld: number): void => {
    writeFileSync(path.join(cwd, name), 'x');
    const at = Date.now() / 1000 - daysOld * 86_400;
    utimesSync(path.join(cwd, name), at, at);
  };
  const stays = [
    '.berth-0123456789ab.partial.x',
    '.berth-0123.partial',
    'x.berth-0123456789ab.partial',
    '.berth-00000000000b.partial',
  ];
  for (const name of stays) put(name, name.includes('00b') ? 0.5 : 2);
  mkdirSync(path.join(cwd, '.berth-00000000000c.partial'));
  symlinkSync('source', path.join(cwd, '.berth-00000000000d.partial'));
  const kept = readdirSync(cwd).sort();
  put('.berth-0123456789ab.partial', 2);
  await run('cp datasets:a source');
  await run('cp datasets:a back');
  expect(readdirSync(cwd).sort()).toEqual([...kept, 'back'].sort());
  put('d/.berth-0123456789ab.partial'.slice(2), 2);
  await run('sync datasets: .');
  expect(existsSync(path.join(cwd, '.berth-0123456789ab.partial'))).toBe(false);
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
  expect((await run('cp datasets:a back --verify')).code).toBe(0);
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
