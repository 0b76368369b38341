import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

const project = path.resolve(import.meta.dirname, '../..');

/** Copies the sources into a folder of another name, with the same packages. Returns the folder, which ends with the test. */
export function copyProject(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-copy-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  for (const name of readdirSync(project))
    if (!['node_modules', 'dist', 'dist-binary', '.git'].includes(name) && !/\.(tgz|deb)$/.test(name))
      cpSync(path.join(project, name), path.join(folder, name), { recursive: true });
  symlinkSync(path.join(project, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}
