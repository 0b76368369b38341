import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'SECURITY.md'), 'utf8');

/** The cells of the rows of the tables of threats, without their headers. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| ---') && !/^\| Threat\b/.test(line))
  .map((line) => line.split('|').slice(1, -1));
const testsIn = (text: string | undefined): readonly string[] =>
  [...(text ?? '').matchAll(/`([\w/-]+)`/g)].map(([, name]) => name ?? '');

describe('the threat model in SECURITY.md', () => {
  test('has a mechanism and tests for each threat', () => {
    expect(rows.length).toBeGreaterThan(25);
    for (const [threat = '', mechanism = '', tests] of rows) {
      expect(mechanism.trim(), threat).not.toBe('');
      expect(testsIn(tests), threat).not.toEqual([]);
    }
  });

  test('names test files that exist', () => {
    const names = new Set(rows.flatMap(([, , tests]) => testsIn(tests)));
    expect([...names].filter((name) => !existsSync(join(root, 'test', `${name}.test.ts`)))).toEqual([]);
  });

  test('is short', () => {
    expect(page.split('\n').length).toBeLessThanOrEqual(121);
  });
});
