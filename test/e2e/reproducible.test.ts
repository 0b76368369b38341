import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { copyProject } from './copy-project.ts';
import { packageTest } from './support.ts';

/** Whether the Debian package is compared too. */
const hasDpkg = spawnSync('dpkg-deb', ['--version']).status === 0;

/**
 * Copies the sources into a folder of another name, with the same packages, and makes all packages there, with a umask and a time
 * zone. Returns the folder.
 */
function buildCopy(umask: string, timeZone: string): string {
  const folder = copyProject();
  const make = (...words: readonly string[]): string =>
    execFileSync('sh', ['-c', `umask ${umask}; exec "$@"`, 'sh', ...words], {
      cwd: folder,
      env: { ...process.env, TZ: timeZone },
      stdio: 'pipe',
      encoding: 'utf8',
    });
  make(process.execPath, 'scripts/build.mjs');
  make('npm', 'pack', '--ignore-scripts');
  if (hasDpkg) make(process.execPath, 'scripts/debian.mjs');
  return folder;
}

type Hashes = Readonly<Record<string, string>>;

const hashes = (folder: string, files: readonly string[]): Hashes =>
  Object.fromEntries(
    files.toSorted().map((file) => [
      file,
      createHash('sha256')
        .update(readFileSync(path.join(folder, file)))
        .digest('hex'),
    ]),
  );

/** The hash of each file in a folder, by its path. */
const hashesOf = (folder: string): Hashes =>
  hashes(
    folder,
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name))),
  );

/** The hash of each package. */
const archivesOf = (folder: string): Hashes =>
  hashes(
    folder,
    readdirSync(folder).filter((name) => /\.(tgz|deb)$/.test(name)),
  );

const WITHOUT = hasDpkg ? '' : ' (without the Debian package: this needs dpkg-deb)';

packageTest(`two builds in folders of other names give the same bytes${WITHOUT}`, () => {
  const [first, second] = [buildCopy('022', 'UTC'), buildCopy('077', 'Asia/Tokyo')];
  const built = hashesOf(path.join(first, 'dist'));
  expect(Object.keys(built).length).toBeGreaterThan(100);
  expect(hashesOf(path.join(second, 'dist'))).toEqual(built);
  const archives = archivesOf(first);
  expect(Object.keys(archives)).toHaveLength(hasDpkg ? 2 : 1);
  expect(archivesOf(second)).toEqual(archives);
});
