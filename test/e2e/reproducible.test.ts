import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const project = path.resolve(import.meta.dirname, '../..');

/** Copies the sources into a folder of another name, with the same packages, and builds there. Returns the folder. */
function buildCopy(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-copy-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  for (const name of readdirSync(project))
    if (!['node_modules', 'dist', 'dist-binary', '.git'].includes(name))
      cpSync(path.join(project, name), path.join(folder, name), { recursive: true });
  symlinkSync(path.join(project, 'node_modules'), path.join(folder, 'node_modules'));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, stdio: 'pipe' });
  return folder;
}

/** The hash of each file in a folder, by its path. */
const hashesOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [path.relative(folder, file), createHash('sha256').update(readFileSync(file)).digest('hex')]),
  );

test('two builds in folders of other names give the same bytes', { timeout: 120_000 }, () => {
  const [first, second] = [buildCopy(), buildCopy()];
  const hashes = hashesOf(path.join(first, 'dist'));
  expect(Object.keys(hashes).length).toBeGreaterThan(100);
  expect(hashesOf(path.join(second, 'dist'))).toEqual(hashes);
  const packed = [first, second].map((folder) => {
    const [{ integrity } = { integrity: '' }] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--ignore-scripts'], {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    ) as { integrity: string }[];
    return integrity;
  });
  expect(packed[0]).toMatch(/^sha512-/);
  expect(packed[1]).toBe(packed[0]);
});
