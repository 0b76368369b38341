/**
 * Builds dist/: the program as split, minified CommonJS with every package bundled, and the licence texts of the bundled
 * packages. docs/decisions/0001 explains why.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cyclonedxEsbuildPlugin } from '@cyclonedx/cyclonedx-esbuild';
import * as esbuild from 'esbuild';
import { bundling, parserFiles, withMembers } from './bundling.mjs';
import { setModes } from './modes.mjs';
import { makePacks } from './packs.mjs';
import { bundledPackages, licenceTexts } from './licences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = path.join(root, 'dist');

/** The software bill of materials of dist/: the packages whose code is in it. */
const BILL_OF_MATERIALS = 'sbom.cdx.json';

/** Writes the bill to a path. It has no time and no random number: two builds give the same bytes. */
const billOfMaterials = (outputFile) =>
  cyclonedxEsbuildPlugin({
    specVersion: '1.6',
    outputFile,
    outputReproducible: true,
    validate: true,
    logLevel: 'silent',
  });

/** First step: esbuild splits ECMAScript modules only. Every dynamic import becomes a file. */
function bundle(bill, binaries) {
  const options = bundling(root);
  return esbuild.build({
    ...options,
    plugins: [...options.plugins, billOfMaterials(bill), parserFiles(binaries)],
    entryPoints: ['src/main.ts'],
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    splitting: true,
    format: 'esm',
    write: false,
    metafile: true,
  });
}

/** Second step: converts one file to CommonJS. */
async function toCommonJs(text, name) {
  const { code, warnings } = await esbuild.transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    legalComments: 'none',
    sourcefile: name,
    banner: '"use strict";',
    logLevel: 'warning',
    // A check of an argument in a package of the SSH library, which it never calls wrongly.
    logOverride: { 'suspicious-boolean-not': 'silent' },
  });
  return finish(code, warnings, name);
}

/** Checks and completes the CommonJS text of a file. `warnings` are those of the conversion. */
function finish(code, warnings, name) {
  // For example import.meta.url, which CommonJS lacks: with any warning the program may not run as written.
  if (warnings.length > 0) throw new Error(`${name} does not survive as CommonJS`);
  // A character in a tagged template stays as it is, and the code cache reads the file as Latin-1.
  if (/[^\0-\x7f]/.test(code)) throw new Error(`${name} has a character beyond ASCII: write it in a plain string`);
  return requireInPlaceOfImport(code);
}

/**
 * Replaces an import() of one of our files or of a builtin with an asynchronous require(): in CommonJS a real import() would
 * start the ES module loader of Node. An import() of a computed name (a user's module) stays.
 */
function requireInPlaceOfImport(code) {
  return code
    .replace(/\bimport\(("\.\/[\w-]+\.cjs")\)/g, 'Promise.resolve($1).then(require)')
    .replace(
      /\bimport\(("node:[\w/]+")\)/g,
      'Promise.resolve().then(()=>Object.create(require($1),{default:{value:require($1)}}))',
    );
}

if (!existsSync(path.join(root, 'src/main.ts'))) throw new Error('src/main.ts is missing: there is nothing to build');
const temporary = await mkdtemp(path.join(tmpdir(), 'berth-build-'));
const bill = path.join(temporary, BILL_OF_MATERIALS);
const binaries = new Map();
const { outputFiles, metafile } = await bundle(bill, binaries);
await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
const files = new Map(
  outputFiles.map(({ path: file, text }) => {
    const { exports } = metafile.outputs[`dist/${path.basename(file)}`];
    return [path.basename(file), { text: withMembers(text, metafile), exports }];
  }),
);
await Promise.all(
  [...files].map(async ([name, { text }]) => writeFile(path.join(dist, name), await toCommonJs(text, name))),
);
await Promise.all([...binaries].map(([name, bytes]) => writeFile(path.join(dist, name), bytes)));
await writeFile(path.join(dist, 'THIRD-PARTY-LICENSES.txt'), await licenceTexts(root, bundledPackages(metafile)));
await copyFile(bill, path.join(dist, BILL_OF_MATERIALS));
await rm(temporary, { recursive: true });
await makePacks(root, files, finish);
const { files: published } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
for (const name of ['package.json', ...published]) await setModes(path.join(root, name));
