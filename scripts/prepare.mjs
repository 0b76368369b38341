/** Installs the packages and builds a fresh clone. Uses only Node, because it runs before anything is installed. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program in the folder of the project with inherited output. Throws unless it exits with 0. */
const mustRun = (command, args) =>
  execFileSync(command, args, { cwd: root, stdio: 'inherit', shell: command === 'npm.cmd' });

/** Whether every package that the lock file of a folder requires on this machine is installed there in that version. */
export function isInstalled(folder = root) {
  const installed = path.join(folder, 'node_modules/.package-lock.json');
  if (!existsSync(installed)) return false;
  const { packages: have } = JSON.parse(readFileSync(installed, 'utf8'));
  const { packages: want } = JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8'));
  return Object.entries(want).every(
    ([place, { version, optional }]) => place === '' || optional || have[place]?.version === version,
  );
}

export function install() {
  if (isInstalled()) return;
  console.log('$ npm ci');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  mustRun(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
}

const newestIn = (folder) =>
  Math.max(
    ...readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(path.join(entry.parentPath, entry.name)).mtimeMs),
  );

/** Whether dist/ is at least as new as all of its sources. */
function isBuilt() {
  const main = path.join(root, 'dist/main.cjs');
  if (!existsSync(main)) return false;
  const sources = [newestIn('src'), newestIn('scripts'), statSync(path.join(root, 'package-lock.json')).mtimeMs];
  return statSync(main).mtimeMs >= Math.max(...sources);
}

/** Installs and builds what is missing. With `always` it builds even if dist/ is up to date. */
export function build({ always = false } = {}) {
  if (!always && isBuilt()) return;
  console.log('$ npm run build');
  mustRun(process.execPath, ['scripts/build.mjs']);
}
