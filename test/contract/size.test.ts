import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';

const hasGit = spawnSync('git', ['--version']).status === 0;
const SCRIPT = path.resolve(import.meta.dirname, '../../scripts/size.mjs');

/** A project with the script and a src of some lines. */
let root = '';
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'size-'));
  onTestFinished(() => {
    rmSync(root, { recursive: true });
  });
  for (const folder of ['scripts', 'src', 'test']) mkdirSync(path.join(root, folder));
  copyFileSync(SCRIPT, path.join(root, 'scripts/size.mjs'));
  writeFileSync(path.join(root, 'test/main.test.ts'), '');
});

const write = (lines: number): void => {
  writeFileSync(path.join(root, 'src/main.ts'), 'export {};\n'.repeat(lines));
};
const git = (...args: readonly string[]): void => {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@berth.test', '-c', 'gc.auto=0', ...args], {
    cwd: root,
  });
};
const commit = (lines: number, message = 'a change'): void => {
  write(lines);
  git('add', '.');
  git('commit', '--allow-empty', '-qm', message);
};
const size = () => {
  const { status, stdout } = spawnSync(process.execPath, ['scripts/size.mjs'], { cwd: root, encoding: 'utf8' });
  return { status, stdout };
};

describe.skipIf(!hasGit)('npm run size', () => {
  beforeEach(() => {
    git('init', '-q');
    commit(100);
  });

  test('ends 1 while src is above its least, by more lines than commits since then say why', () => {
    commit(110, 'size: +10, because of a feature');
    commit(90);
    commit(95, 'size: +5');
    const { status, stdout } = size();
    expect(status).toBe(1);
    expect(stdout).toMatch(/^src grew by 5 lines since \w+\^, and commits say why of 0: /m);
    commit(95, 'A flag\n\nsize: +5, because nothing else does it');
    expect(size().status).toBe(0);
    commit(97);
    expect(size().status).toBe(1);
    commit(90);
    expect(size().status).toBe(0);
  });
});
