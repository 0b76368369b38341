import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { NOUNS } from '../../src/registry.ts';
import type { Description } from '../support/described/command-lines.ts';
import { berth, isPackage, packageTest } from './support.ts';

const folder = path.join(inject('underTest').prefix ?? '', 'share/man/man1');
const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

/** Shows pages at the width of 80 columns. */
function shown(program: string, flags: readonly string[], pages: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(program, [...flags, ...pages.map((page) => path.join(folder, page))], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', MANWIDTH: '80', MANPAGER: 'cat' },
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

/** A page without the spaces that fill its lines. */
const man = (page: string): string => shown('man', ['--warnings', '-l'], [page]).replaceAll(/ +/g, ' ');

packageTest('the package installs a page for each noun and each command', async () => {
  const { commands } = JSON.parse((await berth(['help', '--json'])).stdout) as Description;
  const names = [...NOUNS.map(({ name }) => name), ...commands.map(({ command }) => command.replaceAll(' ', '-'))];
  const pages = new Set(names.map((name) => `berth-${name}.1`));
  expect(readdirSync(folder).sort()).toEqual(['berth.1', ...pages].sort());
});

// What `man` runs, once for all pages.
test.skipIf(!has('groff') || !isPackage)('groff shows every page without a warning', () => {
  const pages = readdirSync(folder);
  const text = shown('groff', ['-mandoc', '-ww', '-k', '-Tutf8'], pages);
  for (const page of pages) expect(text).toContain(`${path.basename(page, '.1').toUpperCase()}(1)`);
});

test.skipIf(!has('man') || !isPackage)('man shows pages of a noun and of its command, which name each other', () => {
  expect(man('berth.1')).toMatch(/NAME\n berth - .*NOUNS\n.*berth-queue\(1\)/s);
  expect(man('berth-queue.1')).toMatch(/NAME\n berth-queue - .*SEE ALSO\n berth-queue-purge\(1\), berth\(1\)/s);
  expect(man('berth-queue-purge.1')).toMatch(
    /NAME\n berth-queue-purge - .*SYNOPSIS\n berth queue purge .*FLAGS\n.*EXAMPLES\n.*SEE ALSO\n berth-queue\(1\), berth\(1\)/s,
  );
});
