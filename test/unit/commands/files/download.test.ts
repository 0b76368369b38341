import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { createAccount } from '../../../support/worlds/local-account.ts';

const CONTENT = 'the content of a file';

/** A folder of this machine, and a volume with the file `a`. */
async function start() {
  const account = createAccount();
  const cwd = temporaryDirectory();
  writeFileSync(path.join(cwd, 'source'), CONTENT);
  const run = (line: string) => account(`files ${line}`, { cwd });
  expect((await run('cp source datasets:a')).code).toBe(0);
  const version = `"${createHash('md5').update(CONTENT).digest('hex')}"`;
  const mark = createHash('sha256').update(`a\n${version}`).digest('hex').slice(0, 12);
  return { run, cwd, target: path.join(cwd, 'back'), partial: path.join(cwd, `.berth-${mark}.partial`) };
}

test('a download goes on where an earlier one ended', async () => {
  const { run, target, partial } = await start();
  writeFileSync(partial, CONTENT.slice(0, 10));
  const ran = await run('cp datasets:a back --verbose');
  expect(ran.code, ran.err).toBe(0);
  expect(ran.err).toMatch(/206/);
  expect(readFileSync(target, 'utf8')).toBe(CONTENT);
  expect(existsSync(partial)).toBe(false);
});

test('what an earlier download left and is wrong is noticed: the target stays as it was, and the next one is right', async () => {
  const { run, target, partial } = await start();
  writeFileSync(target, 'before');
  writeFileSync(partial, 'XXXXXXXXXX');
  const ran = await run('cp datasets:a back');
  expect([ran.code, ran.err]).toEqual([14, expect.stringContaining('is not what the volume has')]);
  expect(readFileSync(target, 'utf8')).toBe('before');
  expect((await run('cp datasets:a back')).code).toBe(0);
  expect(readFileSync(target, 'utf8')).toBe(CONTENT);
});

test('what an earlier download of another version left is not used', async () => {
  const { run, cwd, target, partial } = await start();
  writeFileSync(partial, 'XXXXXXXXXX');
  writeFileSync(path.join(cwd, 'source'), 'another content');
  await run('cp source datasets:a');
  expect((await run('cp datasets:a back')).code).toBe(0);
  expect(readFileSync(target, 'utf8')).toBe('another content');
});

test('a file that was downloaded has the permissions of any new file', async () => {
  const { run, cwd, target } = await start();
  await run('cp datasets:a back');
  writeFileSync(path.join(cwd, 'other'), '');
  expect(statSync(target).mode).toBe(statSync(path.join(cwd, 'other')).mode);
  expect(readdirSync(cwd).sort()).toEqual(['back', 'other', 'source']);
});
