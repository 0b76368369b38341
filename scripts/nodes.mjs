/**
 * The other versions of Node that the end-to-end tests run with. They come from the packages of test/nodes, whose lock file holds
 * their versions and checksums. They are installed into a cache folder when they are first used; `npm ci` does not install them.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { isInstalled, root } from './prepare.mjs';

const NODES = path.join(root, 'test/nodes');
const CACHE = path.join(root, 'node_modules/.cache/nodes');

/** The versions by their names, such as `22`. */
export const nodeNames = () =>
  Object.keys(JSON.parse(readFileSync(path.join(NODES, 'package.json'), 'utf8')).dependencies).map((name) =>
    name.replace('node-', ''),
  );

export const nodeProgram = (name) => path.join(CACHE, 'node_modules', `node-${name}`, 'bin/node');

/** Installs the programs. Returns why they cannot be installed or run here; undefined when they are ready. */
export async function installNodes() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'the packages are for Linux on x64';
  mkdirSync(CACHE, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(path.join(NODES, file), path.join(CACHE, file));
  if (!isInstalled(CACHE)) {
    const trouble = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=0']);
    if (trouble !== undefined) return `npm ci of test/nodes failed: ${trouble}`;
  }
  for (const name of nodeNames()) {
    const trouble = await run(nodeProgram(name), ['--version']);
    if (trouble !== undefined) return `Node ${name} does not run: ${trouble}`;
  }
  return undefined;
}

/** Runs a program in the cache folder. Returns why it failed; undefined when it ended with 0. */
const run = (command, args) =>
  promisify(execFile)(command, args, { cwd: CACHE }).then(
    () => undefined,
    ({ stderr, message }) => stderr?.trim().split('\n').at(-1) || message,
  );
