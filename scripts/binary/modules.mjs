/** The program as split ECMAScript modules, in a folder, for the tool that makes executables. */
import path from 'node:path';
import { writeFile } from 'node:fs/promises';
import * as esbuild from 'esbuild';
import { bundling, commonJsEntries } from '../bundling.mjs';

const ENTRY = 'src/executable.ts';

/**
 * Writes the modules into `folder`: each dynamic import becomes a file, which is loaded only when it is needed. Returns the
 * path of the first module and the metafile of the bundler.
 */
export async function writeModules(root, folder) {
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
  const packages = commonJsEntries(metafile);
  await Promise.all(outputFiles.map(({ path: file, text }) => writeFile(file, withMembers(text, packages))));
  return { entry: path.join(folder, `${path.basename(ENTRY, '.ts')}.js`), metafile };
}

/**
 * Splitting gives a dynamically imported CommonJS package only a default export. Node also exports its members, and the
 * sources use them, so they are added where the package is imported.
 */
const withMembers = (text, packages) =>
  text.replace(/\bimport\("\.\/([\w.-]+\.js)"\)/g, (whole, name) =>
    packages.has(name) ? `${whole}.then(m=>({...m.default,default:m.default}))` : whole,
  );
