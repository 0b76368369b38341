import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'SECURITY.md'), 'utf8');

/** The cells of the table of promises, without its header. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (---|Promise\b)/.test(line))
  .map((line) => line.split('|').slice(1, -1));

test('each promise in SECURITY.md names tests that exist', () => {
  expect(rows.length).toBeGreaterThan(20);
  for (const [promise = '', tests = ''] of rows) {
    const names = [...tests.matchAll(/`([\w/-]+)`/g)].map(([, name = '']) => name);
    expect(names, promise).not.toEqual([]);
    const missing = names.filter((name) => !existsSync(join(root, 'test', `${name}.test.ts`)));
    expect(missing, promise).toEqual([]);
  }
});

test('SECURITY.md is short', () => {
  expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
});
