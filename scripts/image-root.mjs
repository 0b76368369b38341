/**
 * `node scripts/image-root.mjs FOLDER`: writes the root file system of the container image into an empty folder. It has the Node
 * that runs this script, the shared libraries of that Node, and the program; no shell and no other program. The Dockerfile runs
 * this script, and a test runs what it writes. Linux only.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setModes } from './modes.mjs';
import { build, install, root } from './prepare.mjs';

const PROGRAM = 'usr/share/berth';

/** The user of the image, and its group. Any other user can run the program too. */
const USER = 65_532;
/** Folders that every user can write to: home of the user, and for temporary files. */
const SHARED = ['home/berth', 'tmp'];

const SYSTEM = {
  'etc/passwd': `root:x:0:0::/root:/nonexistent\nberth:x:${USER}:${USER}::/home/berth:/nonexistent\n`,
  'etc/group': `root:x:0:\nberth:x:${USER}:\n`,
  'etc/hosts': '127.0.0.1 localhost\n::1 localhost\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/** The documents of Debian about the libraries, which include their licences. */
const LIBRARY_PACKAGES = ['libc6', 'libgcc-s1', 'libstdc++6'];

/** The shared libraries of a program and their loader, by the paths that the program opens. */
function librariesOf(program) {
  const lines = execFileSync('ldd', [program], { encoding: 'utf8' }).split('\n');
  const missing = lines.find((line) => line.includes('not found'));
  if (missing !== undefined) throw new Error(`a library of Node is missing:${missing}`);
  return lines.flatMap((line) => /(?:=>|^)\s*(\/\S+) \(0x/.exec(line)?.[1] ?? []);
}

async function copy(from, to) {
  await mkdir(path.dirname(to), { recursive: true });
  await copyFile(await realpath(from), to);
}

/** Copies Node, what it needs, and the licences of both. */
async function writeNode(folder) {
  const node = await realpath(process.execPath);
  await copy(node, path.join(folder, 'usr/bin/node'));
  for (const library of librariesOf(node)) await copy(library, path.join(folder, library));
  const licence = [path.join(node, '../../LICENSE'), '/usr/share/doc/nodejs/copyright'].find(existsSync);
  if (licence === undefined) throw new Error(`the licence of Node is not where its archive has it, beside ${node}`);
  await copy(licence, path.join(folder, 'usr/share/doc/nodejs/copyright'));
  for (const name of LIBRARY_PACKAGES) {
    const file = `/usr/share/doc/${name}/copyright`;
    if (existsSync(file)) await copy(file, path.join(folder, file));
  }
}

/** Writes the program as it is published, and `berth` on the PATH. */
async function writeProgram(folder) {
  const program = path.join(folder, PROGRAM);
  const temporary = await mkdtemp(path.join(tmpdir(), 'berth-pack-'));
  const options = ['--ignore-scripts', '--loglevel=error', '--pack-destination', temporary];
  execFileSync('npm', ['pack', ...options], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const [archive = ''] = await readdir(temporary);
  await mkdir(program, { recursive: true });
  const packed = path.join(temporary, archive);
  execFileSync('tar', ['-xzf', packed, '-C', program, '--strip-components=1', '--no-same-owner']);
  await rm(temporary, { recursive: true });
  // The launcher begins with `env`, which the image does not have.
  const launcher = path.join(program, 'bin/berth');
  await writeFile(launcher, (await readFile(launcher, 'utf8')).replace('#!/usr/bin/env node', '#!/usr/bin/node'));
  await symlink(path.join('..', path.relative('usr', PROGRAM), 'bin/berth'), path.join(folder, 'usr/bin/berth'));
}

const [folder] = process.argv.slice(2);
if (folder === undefined || (existsSync(folder) && (await readdir(folder)).length > 0)) {
  console.error('Give an empty folder: node scripts/image-root.mjs FOLDER');
  process.exit(2);
}
install();
build();
await writeNode(folder);
await writeProgram(folder);
for (const name of ['etc', ...SHARED]) await mkdir(path.join(folder, name), { recursive: true });
for (const [file, text] of Object.entries(SYSTEM)) await writeFile(path.join(folder, file), text);
await setModes(folder);
for (const name of SHARED) await chmod(path.join(folder, name), 0o1777);
