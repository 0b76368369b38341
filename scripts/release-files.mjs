/**
 * `npm run release-files`: makes dist-release/, to be put at any address: the npm archive, an executable for each platform, the
 * completions, the install script, version.json and SHA256SUMS. `--executables FOLDER` takes those that exist, by platform.
 */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { TARGETS } from './binary/tool.mjs';
import { setModes } from './modes.mjs';
import { root } from './prepare.mjs';

const { values } = parseArgs({
  options: { executables: { type: 'string' }, out: { type: 'string', default: path.join(root, 'dist-release') } },
});
const out = path.resolve(values.out);
const executables = path.resolve(values.executables ?? path.join(root, 'dist-binary'));
const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
const run = (command, ...args) => execFileSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });

if (values.executables === undefined) {
  run(process.execPath, 'scripts/build.mjs');
  run(process.execPath, 'scripts/binary.mjs', 'all');
}
const made = `${out}.new`;
await rm(made, { recursive: true, force: true });
await mkdir(made, { recursive: true });
run('npm', 'pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', made);
for (const target of Object.keys(TARGETS)) {
  const end = target.startsWith('win32') ? '.exe' : '';
  await copyFile(path.join(executables, target, `berth${end}`), path.join(made, `berth-${target}${end}`));
}
// The licences of all that is in an executable are the same for each platform.
const [first] = Object.keys(TARGETS);
await copyFile(path.join(executables, first, 'THIRD-PARTY-LICENSES.txt'), path.join(made, 'THIRD-PARTY-LICENSES.txt'));
await copyFile(path.join(root, 'LICENSE'), path.join(made, 'LICENSE'));
for (const name of await readdir(path.join(root, 'completions')))
  await copyFile(path.join(root, 'completions', name), path.join(made, name));
await copyFile(path.join(root, 'scripts/release/install.sh'), path.join(made, 'install.sh'));
await writeFile(path.join(made, 'version.json'), `${JSON.stringify({ version })}\n`);

const sums = [];
for (const name of (await readdir(made)).sort())
  sums.push(`${hash('sha256', await readFile(path.join(made, name)))}  ${name}\n`);
await writeFile(path.join(made, 'SHA256SUMS'), sums.join(''));
await setModes(made);
await rm(out, { recursive: true, force: true });
await rename(made, out);
process.stdout.write(sums.join(''));
