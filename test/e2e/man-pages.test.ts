import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { NOUNS } from '../../src/registry.ts';
import { isPackage, packageTest } from './support.ts';

const pageOf = (name: string): string => path.join(inject('underTest').prefix ?? '', 'share/man/man1', `${name}.1`);
const PAGES = ['berth', ...NOUNS.map(({ name }) => `berth-${name}`)];
const hasMan = spawnSync('man', ['--version']).status === 0;

packageTest.each(PAGES)('the package installs %s(1)', (name) => {
  expect(existsSync(pageOf(name))).toBe(true);
});

test.skipIf(!hasMan || !isPackage).each(PAGES)('man shows %s(1) without a warning', (name) => {
  const { stdout, stderr, status } = spawnSync('man', ['--warnings', '-l', pageOf(name)], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', MANWIDTH: '80', MANPAGER: 'cat' },
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain(name.toUpperCase());
  expect(stdout).toMatch(/NAME\n +berth/);
});
