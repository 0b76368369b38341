/**
 * `npm run debian`: makes `berth_VERSION_all.deb` from the built program, in the folder that is given, by default the current one. Needs
 * `dpkg-deb`. The same sources give the same bytes. SOURCE_DATE_EPOCH sets the date of the files; DEBFULLNAME and DEBEMAIL name
 * the maintainer.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build, install } from './prepare.mjs';
import { DATE, DOCUMENTS, gzip, readVersion, settle, write, writeTree } from './system-tree.mjs';

/** As the tools of Debian read it. */
const MAINTAINER = `${process.env.DEBFULLNAME ?? 'The berth authors'} <${process.env.DEBEMAIL ?? 'berth@localhost'}>`;

/** The control file. Of Python and ssh only some commands have need. */
const control = (version, kilobytes) => `Package: berth
Version: ${version}
Architecture: all
Maintainer: ${MAINTAINER}
Installed-Size: ${kilobytes}
Depends: nodejs (>= 20.18.1)
Suggests: bash-completion, openssh-client, python3 (>= 3.8)
Section: net
Priority: optional
Description: command line of a GPU cloud
 Manages pods, serverless endpoints with their job queues, and network
 volumes, and sends batches of jobs.
 .
 Contains a local service, so that commands, scripts and workers can be
 tested without an account.
`;

const changelog = (version) => `berth (${version}) unstable; urgency=medium

  * The changes for users are in CHANGELOG.md.gz.

 -- ${MAINTAINER}  ${new Date(DATE * 1000).toUTCString().replace('GMT', '+0000')}
`;

/** The regular files of a tree, sorted, without the folder of the control files. */
async function filesOf(tree) {
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(tree, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith('DEBIAN'))
    .sort();
}

/** The kilobytes that the files take, each rounded up, as dpkg counts them. */
async function kilobytesOf(tree, files) {
  const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(tree, file))).size));
  return sizes.reduce((sum, size) => sum + Math.ceil(size / 1024), 0);
}

async function checksums(tree, files) {
  const lines = files.map(async (file) => {
    const hash = createHash('md5').update(await readFile(path.join(tree, file)));
    return `${hash.digest('hex')}  ${file}\n`;
  });
  return (await Promise.all(lines)).join('');
}

const [folder = '.'] = process.argv.slice(2);
await install();
await build();
const version = await readVersion();
const tree = await mkdtemp(path.join(tmpdir(), 'berth-debian-'));
try {
  await writeTree(tree);
  await write(tree, `${DOCUMENTS}/changelog.gz`, gzip(changelog(version)));
  const files = await filesOf(tree);
  await write(tree, 'DEBIAN/control', control(version, await kilobytesOf(tree, files)));
  await write(tree, 'DEBIAN/md5sums', await checksums(tree, files));
  await settle(tree);
  const archive = path.resolve(folder, `berth_${version}_all.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', tree, archive], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(DATE) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  console.log(archive);
} finally {
  await rm(tree, { recursive: true, force: true });
}
