/**
 * `npm run binary`: makes dist-binary/PLATFORM/, with one executable file that needs no Node, and the licences of all that is
 * in it. The arguments are platforms such as linux-arm64, or `all`; by default it is the platform of this machine.
 * BERTH_BINARY_TOOLS is the folder of downloaded tools, dist-binary/tools by default. docs/decisions/0025 explains the choice.
 */
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as esbuild from 'esbuild';
import { fetchTool, HERE, TARGETS, ToolMissing, TOOLS } from './binary/tool.mjs';
import { bundling, withMembers } from './bundling.mjs';
import { bundledPackages, licenceTexts } from './licences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = path.join(root, 'dist-binary');

const run = promisify(execFile);
const ENTRY = 'src/executable.ts';

/**
 * Writes the modules into `folder`: each dynamic import becomes a file, which is loaded only when it is needed. Returns the
 * path of the first module and the metafile of the bundler.
 */
async function writeModules(folder) {
  const { outputFiles, metafile } = await esbuild.build({
    ...bundling(root),
    entryPoints: [ENTRY],
    outdir: folder,
    splitting: true,
    format: 'esm',
    loader: { '.py': 'text' },
    // A package names temporary files by this. The tool would put the folder of the build in its place.
    define: { __filename: '"/berth"', __dirname: '"/"' },
    legalComments: 'none',
    write: false,
    metafile: true,
  });
  await Promise.all(outputFiles.map(({ path: file, text }) => writeFile(file, withMembers(text, metafile))));
  return { entry: path.join(folder, `${path.basename(ENTRY, '.ts')}.js`), metafile };
}

/** Most commands end before compiled code pays: it is made for what runs 20 times as often as by default. */
const OPTIONS =
  'build --compile --format=esm --splitting --bytecode --minify --compile-jit-policy=20 --no-compile-autoload-dotenv --no-compile-autoload-bunfig';

/**
 * Compiles the modules to one executable. Without a configuration of the user's: a file of that name in the working directory
 * could change what the executable does.
 */
async function compile(modules, target, into) {
  const [here, there] = [await fetchTool(TOOLS, HERE), await fetchTool(TOOLS, target)];
  const file = path.join(into, target.startsWith('win32') ? 'berth.exe' : 'berth');
  const places = [`--target=${TARGETS[target].tool}`, `--compile-executable-path=${there}`, `--outfile=${file}`];
  // Relative names: the paths of the modules are in the executable, and two builds must give the same bytes.
  const [cwd, entry] = [path.dirname(modules.entry), path.basename(modules.entry)];
  await run(here, [...OPTIONS.split(' '), ...places, entry], { cwd });
  return file;
}

async function build(modules, target) {
  const made = await mkdtemp(path.join(out, 'new-'));
  try {
    const file = await compile(modules, target, made);
    const runtime = await readFile(path.join(root, 'scripts/binary/runtime-licences.txt'), 'utf8');
    const packages = await licenceTexts(root, bundledPackages(modules.metafile));
    await writeFile(path.join(made, 'THIRD-PARTY-LICENSES.txt'), `${packages}\n${'-'.repeat(80)}\n\n${runtime}`);
    await copyFile(path.join(root, 'LICENSE'), path.join(made, 'LICENSE'));
    await chmod(made, 0o755);
    const folder = path.join(out, target);
    await rm(folder, { recursive: true, force: true });
    await rename(made, folder);
    const name = path.basename(file);
    const bytes = await readFile(path.join(folder, name));
    console.log(`${hash('sha256', bytes)}  dist-binary/${target}/${name}  ${(bytes.length / 1e6).toFixed(0)} MB`);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

const asked = process.argv.slice(2);
const targets = asked.length === 0 ? [HERE] : asked.includes('all') ? Object.keys(TARGETS) : asked;
await mkdir(out, { recursive: true });
const folder = await mkdtemp(path.join(out, 'modules-'));
try {
  const modules = await writeModules(folder);
  for (const target of targets) await build(modules, target);
} catch (error) {
  if (!(error instanceof ToolMissing)) throw error;
  console.error(error.message.trimEnd());
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
