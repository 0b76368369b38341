/**
 * Builds dist/: the program as split, minified CommonJS with every package bundled in, V8's compiled form of it, and
 * the licence texts of what was bundled. docs/decisions/0001 says why it is built this way.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { bundling } from './bundling.mjs';
import { warmCodeCache } from './code-cache.mjs';
import { bundledPackages, licenceTexts } from './licences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = path.join(root, 'dist');

/** Splitting works for ECMAScript modules only, so that is the first form; every dynamic import becomes a file. */
async function bundle() {
  const { outputFiles, metafile } = await esbuild.build({
    ...bundling(root),
    entryPoints: ['src/main.ts'],
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    splitting: true,
    format: 'esm',
    write: false,
    metafile: true,
  });
  return { outputFiles, metafile };
}

/**
 * Splitting gives a dynamically imported CommonJS package a default export alone. Node gives it its members as exports
 * too, the sources count on them, and so they are added.
 */
const MEMBERS_AS_EXPORTS = `
{
  const { default: members } = module.exports;
  for (const name of Object.keys(members)) {
    if (!(name in module.exports)) {
      Object.defineProperty(module.exports, name, { enumerable: true, get: () => members[name] });
    }
  }
}`;

/** Names of the output files that are a dynamically imported CommonJS package. */
function commonJsEntries({ inputs, outputs }) {
  return new Set(
    Object.entries(outputs)
      .filter(([, { entryPoint }]) => entryPoint !== undefined && inputs[entryPoint]?.format === 'cjs')
      .map(([output]) => path.basename(output)),
  );
}

/** One file in its second form, CommonJS. */
async function toCommonJs(text, name, isPackage) {
  const { code, warnings } = await esbuild.transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    sourcefile: name,
    banner: '"use strict";',
    logLevel: 'warning',
  });
  // Such as an import.meta.url, which CommonJS lacks: whatever it is, the program would not run as written.
  if (warnings.length > 0) throw new Error(`${name} does not survive as CommonJS`);
  return requireInPlaceOfImport(isPackage ? code + MEMBERS_AS_EXPORTS : code);
}

/**
 * An import() of one of our own files, or of a builtin, becomes a require() that answers later: in CommonJS a real
 * import() would start Node's module loader. An import() of a name that is computed (a user's module) stays.
 */
function requireInPlaceOfImport(code) {
  return code
    .replace(/\bimport\(("\.\/[\w-]+\.cjs")\)/g, 'Promise.resolve().then(()=>require($1))')
    .replace(
      /\bimport\(("node:[\w/]+")\)/g,
      'Promise.resolve().then(()=>Object.create(require($1),{default:{value:require($1)}}))',
    );
}

if (!existsSync(path.join(root, 'src/main.ts'))) throw new Error('src/main.ts is missing: there is nothing to build');
const { outputFiles, metafile } = await bundle();
await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
const packages = commonJsEntries(metafile);
await Promise.all(
  outputFiles.map(async ({ path: file, text }) => {
    const name = path.basename(file);
    await writeFile(file, await toCommonJs(text, name, packages.has(name)));
  }),
);
await writeFile(path.join(dist, 'THIRD-PARTY-LICENSES.txt'), await licenceTexts(root, bundledPackages(metafile)));
await warmCodeCache(root);
