import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { installedAt, packageTest } from './support.ts';

packageTest('no file of the package holds the path of the folder that it was built in', () => {
  const builder = path.resolve(import.meta.dirname, '../..');
  const files = readdirSync(installedAt(), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const holding = files.filter((entry) => readFileSync(path.join(entry.parentPath, entry.name)).includes(builder));
  expect(files.length).toBeGreaterThan(100);
  expect(holding.map(({ name }) => name)).toEqual([]);
});
