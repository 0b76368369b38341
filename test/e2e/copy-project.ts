import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

const project = path.resolve(import.meta.dirname, '../..');

/** What is made there: builds, packages, and copies by other tests, which go away meanwhile. */
const isMade = (name: string): boolean =>
  ['node_modules', 'dist', 'dist-binary', '.git'].includes(name) ||
  name.startsWith('.scratch-') ||
  /\.(tgz|deb)$/.test(name);

/** Copies the sources into a folder of another name, with the same packages. Returns the folder, which ends with the test. */
export function copyProject(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-copy-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  for (const name of readdirSync(project))
    if (!isMade(name)) cpSync(path.join(project, name), path.join(folder, name), { recursive: true });
  symlinkSync(path.join(project, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}
