import { spawnSync } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Larger than the lock file, which is the largest file. Bytes. */
const MAX_BYTES = 400_000;

/** What the folder of the project itself holds: anything else there was left by a trial. */
const IN_ROOT =
  /^(\.[\w.-]+|[A-Z]+(\.md)?|Dockerfile|(package|package-lock|knip|tsconfig)\.json|vitest(\.\w+)?\.config\.ts)$/;
const FOLDERS = ['.ci', 'bench', 'bin', 'completions', 'docs', 'scripts', 'src', 'test', 'workers'];

test('the repository has no large file, and none of binary data: no core file, no archive', ({ skip }) => {
  const { status, stdout } = spawnSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) return skip('git is not installed, or this is no checkout');
  const tracked = stdout
    .split('\0')
    .filter((name) => name !== '' && lstatSync(path.join(ROOT, name), { throwIfNoEntry: false })?.isFile() === true);
  const wrong = tracked.filter((name) => {
    const content = readFileSync(path.join(ROOT, name));
    return content.byteLength > MAX_BYTES || content.includes(0);
  });
  expect(tracked.length).toBeGreaterThan(1000);
  expect(wrong).toEqual([]);
  const left = tracked.filter((name) => {
    const [first = '', ...rest] = name.split('/');
    return rest.length === 0 ? !IN_ROOT.test(first) : !FOLDERS.includes(first);
  });
  expect(left).toEqual([]);
});

test.each(['package-lock.json', 'test/nodes/package-lock.json'])('%s works with any registry', (name) => {
  expect(readFileSync(path.join(ROOT, name), 'utf8')).not.toMatch(/"resolved": "https?:/);
});
