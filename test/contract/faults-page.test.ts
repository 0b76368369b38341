import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** The folder of each prefix, as the page explains them; the longest first. */
const FOLDERS: readonly (readonly [string, string])[] = [
  ['jobs/batch/', 'unit/commands/jobs/batch/'],
  ['commands/', 'unit/commands/'],
  ['batch/', 'unit/batch/'],
  ['storage/', 'unit/storage/'],
  ['host/', 'unit/host/'],
  ['http/', 'unit/http/'],
  ['cli/', 'unit/cli/'],
  ['e2e/', 'e2e/'],
  ['contract/', 'contract/'],
  ['apply/', 'unit/commands/apply/'],
  ['plan/', 'unit/commands/plan/'],
  ['', 'faults/'],
];

function fileOf(name: string): string {
  const [prefix = '', folder = ''] = FOLDERS.find(([start]) => name.startsWith(start)) ?? [];
  return join(root, 'test', `${folder}${name.slice(prefix.length)}.test.ts`);
}

const rows = readFileSync(join(root, 'docs/faults.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

test.each(rows.map(([, row = '', fault = '', tests = '']) => [row, fault, tests] as const))(
  'row %s of docs/faults.md, %s, names tests that exist',
  (_row, _fault, tests) => {
    const names = tests.replaceAll(/\(.*?\)/g, '').split('; ');
    const missing = names.filter((each) => {
      if (each.startsWith('`')) return false;
      const [name = '', titles = ''] = each.trim().split(': ');
      if (!existsSync(fileOf(name))) return true;
      const text = readFileSync(fileOf(name), 'utf8');
      return titles.split(/, | \/ /).some((title) => !text.includes(title.split('...')[0]?.trim() ?? ''));
    });
    expect(missing).toEqual([]);
  },
);

test('every file of test/faults is on the page', () => {
  const named = rows.flatMap(([, , , tests = '']) => tests.split('; ').map((each) => each.split(': ')[0]?.trim()));
  const files = readdirSync(join(root, 'test/faults')).filter((name) => name.endsWith('.test.ts'));
  expect(files.filter((name) => !named.includes(name.replace('.test.ts', '')))).toEqual([]);
});
