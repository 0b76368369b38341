/**
 * The built program as files of a system: what the Debian package and the image have in common. The program is in
 * /usr/share/berth, and completions, man pages and licences are where the system looks for them.
 */
import { execFileSync } from 'node:child_process';
import { lutimes, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { setModes } from './modes.mjs';
import { root } from './prepare.mjs';

const PROGRAM = 'usr/share/berth';
/** Where the documents are. */
export const DOCUMENTS = 'usr/share/doc/berth';

/** Where each shell looks for completions of installed programs. */
const COMPLETIONS = {
  'berth.bash': 'usr/share/bash-completion/completions/berth',
  'berth.zsh': 'usr/share/zsh/vendor-completions/_berth',
  'berth.fish': 'usr/share/fish/vendor_completions.d/berth.fish',
};

/** The date of all files, in seconds: that of the files in an npm package, unless SOURCE_DATE_EPOCH is set. */
export const DATE = Number(process.env.SOURCE_DATE_EPOCH ?? 499_162_500);

/** The version of the program. */
export const readVersion = async () => JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')).version;

/** Compresses text for a page or a document, without a date. */
export const gzip = (text) => gzipSync(text, { level: 9 });

/** Writes a file below a folder, with the folders that it is in. */
export async function write(folder, file, content) {
  await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
  await writeFile(path.join(folder, file), content);
}

/** Writes the program, packed as it is published, into the folder `tree`. dist/ must be built. */
export async function writeTree(tree) {
  const program = path.join(tree, PROGRAM);
  await unpack(program);
  await writeManPages(program, tree);
  await useSystemNode(path.join(program, 'bin/berth'));
  await link(tree, 'usr/bin/berth', `${PROGRAM}/bin/berth`);
  for (const [file, place] of Object.entries(COMPLETIONS)) await link(tree, place, `${PROGRAM}/completions/${file}`);
  await writeDocuments(program, tree);
}

async function unpack(folder) {
  const temporary = await mkdtemp(path.join(tmpdir(), 'berth-pack-'));
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const options = ['--ignore-scripts', '--loglevel=error', '--pack-destination', temporary];
  execFileSync(npm, ['pack', ...options], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const [archive = ''] = await readdir(temporary);
  await mkdir(folder, { recursive: true });
  execFileSync('tar', ['-xzf', path.join(temporary, archive), '-C', folder, '--strip-components=1', '--no-same-owner']);
  await rm(temporary, { recursive: true });
}

async function writeManPages(program, tree) {
  const pages = path.join(program, 'dist/man');
  for (const name of await readdir(pages))
    await write(tree, `usr/share/man/man1/${name}.gz`, gzip(await readFile(path.join(pages, name))));
  await rm(pages, { recursive: true });
}

/** The launcher looks for Node on the PATH. An installed system uses its own Node, whatever the PATH says. */
async function useSystemNode(launcher) {
  const text = await readFile(launcher, 'utf8');
  const own = text.replace(/^#!\/usr\/bin\/env node\n/, '#!/usr/bin/node\n');
  if (own === text) throw new Error('bin/berth does not begin with #!/usr/bin/env node');
  await writeFile(launcher, own);
}

/** Links `place` to another file of the tree. */
async function link(tree, place, target) {
  await mkdir(path.dirname(path.join(tree, place)), { recursive: true });
  await symlink(path.relative(path.dirname(place), target), path.join(tree, place));
}

/** Moves the documents of the package to where a system keeps documents. */
async function writeDocuments(program, tree) {
  const take = async (file) => {
    const text = await readFile(path.join(program, file), 'utf8');
    await rm(path.join(program, file));
    return text;
  };
  const bundled = `The licences of the packages that berth contains are in /${DOCUMENTS}/THIRD-PARTY-LICENSES.txt.gz.\n`;
  await write(tree, `${DOCUMENTS}/copyright`, `${await take('LICENSE')}\n${bundled}`);
  for (const file of ['README.md', 'CHANGELOG.md', 'dist/THIRD-PARTY-LICENSES.txt', 'dist/sbom.cdx.json'])
    await write(tree, `${DOCUMENTS}/${path.basename(file)}.gz`, gzip(await take(file)));
}

/** Gives every file the same date, and the modes of an installed system. */
export async function settle(tree) {
  await setModes(tree);
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  for (const entry of entries) await lutimes(path.join(entry.parentPath, entry.name), DATE, DATE);
  await lutimes(tree, DATE, DATE);
}
