/**
 * Makes dist/ fast to load: bundles the files that the usual commands load into packs, because each file that is opened takes
 * time, and so does each import between files.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as esbuild from 'esbuild';
import { samplePod } from '../bench/sample-pod.mjs';

const run = promisify(execFile);
const lister = fileURLToPath(new URL('list-loaded-files.cjs', import.meta.url));

const [HELP, GET, LOCAL] = ['--help', 'pods get sample', '--local pods list'].map((line) => line.split(' '));

/**
 * Each pack and the commands that all load its files, without those of earlier packs. The launcher loads the first one, which
 * says where the files of the others are.
 */
const PACKS = [
  { pack: 'start.pack.cjs', commands: [HELP] },
  // Apart from the HTTP client, which the local service does not need.
  { pack: 'command.pack.cjs', commands: [GET, LOCAL] },
  { pack: 'request.pack.cjs', commands: [GET] },
  { pack: 'local.pack.cjs', commands: [LOCAL] },
];

/**
 * `root` is the folder of the project, with dist/ built. `files` has the text of each file of dist/ as an ECMAScript module,
 * and the names of its exports; `finish` completes a text that is CommonJS. Fails when one of the commands cannot be run.
 */
export async function makePacks(root, files, finish) {
  const dist = path.join(root, 'dist');
  const home = await mkdtemp(path.join(tmpdir(), 'berth-build-'));
  const list = path.join(home, 'list');
  const service = await serveSample();
  const env = {
    PATH: process.env.PATH,
    BERTH_BUILD_DIST: dist,
    BERTH_BUILD_LIST: list,
    BERTH_CONFIG_DIR: path.join(home, 'config'),
    BERTH_DATA_DIR: path.join(home, 'data'),
    BERTH_BASE_URL: service.url,
    BERTH_QUEUE_URL: service.url,
    BERTH_API_KEY: 'sample',
  };
  try {
    const lists = new Map();
    const loaded = new Map();
    for (const args of new Set(PACKS.flatMap(({ commands }) => commands))) {
      await run(process.execPath, ['--require', lister, path.join(root, 'bin/berth'), ...args], { env });
      loaded.set(args, (await readFile(list, 'utf8')).split('\n'));
    }
    for (const { pack, commands } of PACKS) {
      const packed = [...lists.values()].flat();
      const [first, ...others] = commands.map((args) => loaded.get(args));
      const names = first.filter((name) => !packed.includes(name) && others.every((each) => each.includes(name)));
      lists.set(pack, names);
    }
    const packs = await Promise.all(
      [...lists].map(async ([pack, names], index) => {
        const others = index === 0 ? [...lists].slice(1) : [];
        return [pack, await packOf({ pack, names, others }, files, finish)];
      }),
    );
    // Written last: while there are none, the launcher loads plain files, and Node can list them.
    for (const [pack, text] of packs) await writeFile(path.join(dist, pack), text);
    // The launcher looks for main.cjs to see whether the program is built.
    for (const name of [...lists.values()].flat()) if (name !== 'main.cjs') await rm(path.join(dist, name));
  } finally {
    service.stop();
    await rm(home, { recursive: true, force: true });
  }
}

/**
 * A pack is a function that takes the `require` of the launcher and returns an object: it maps the required name of a file to
 * a function that runs the file and sets the exports of a module. All files share one scope, and each runs when it is first
 * needed; what it exports is gathered only where a file outside of the pack needs it. The names of the files of `others` are
 * mapped to the names of their packs.
 */
async function packOf({ pack, names, others }, files, finish) {
  const members = [
    ...names.map((name) => `"./${name}":(module)=>{module.exports=require("${name}!").members()}`),
    ...others.flatMap(([other, held]) => held.map((name) => `"./${name}":"${other}"`)),
  ];
  const texts = names.flatMap((name) => [
    [`./${name}`, files.get(name).text],
    [`${name}!`, membersOf(name, files.get(name).exports)],
  ]);
  const { outputFiles, warnings } = await esbuild.build({
    stdin: { contents: `module.exports={${members.join(',')}}`, sourcefile: pack },
    plugins: [onlyFiles(new Map(texts))],
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    legalComments: 'none',
    banner: { js: '"use strict";' },
    logLevel: 'warning',
    write: false,
  });
  const code = finish(outputFiles[0].text, warnings, pack);
  // write-file-atomic takes it for a part of its temporary names.
  return `(function(require){var __filename="${pack}",module={exports:{}};${code}\nreturn module.exports})`;
}

/** A module whose only export returns those of a file. */
const membersOf = (name, exports) =>
  `import {${exports.map((each, at) => `${each} as e${at}`)}} from "./${name}";
export const members=()=>({${exports.map((each, at) => `${each}:e${at}`)}})`;

/** Bundles these files, and leaves every other import to the launcher. */
const onlyFiles = (texts) => ({
  name: 'only-files',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ path: name }) =>
      texts.has(name) ? { path: name, namespace: 'dist' } : { path: name, external: true },
    );
    build.onLoad({ filter: /.*/, namespace: 'dist' }, ({ path: name }) => ({
      contents: texts.get(name),
      loader: 'js',
    }));
  },
});

async function serveSample() {
  const server = createServer((_, response) => {
    // As every answer of the service has them: what reads them belongs into a pack too.
    const limits = { RateLimit: '"minute";r=59;t=12', 'RateLimit-Policy': '"minute";q=60;w=60' };
    response.writeHead(200, { 'content-type': 'application/json', ...limits }).end(JSON.stringify(samplePod));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close().closeAllConnections() };
}
