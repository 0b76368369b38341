/** The bundler options that the build and the benchmark share. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { completionData } from './completion-data.mjs';

/** Builtins that a package loads at start and does not need. They, and signal-exit, are replaced by scripts/stubs. */
const STUBBED = { undici: ['assert', 'http', 'http2'], commander: ['child_process'] };

/** Parts of the HTTP client that berth does not use: HTTP/2, and bodies that are a form or a stream of the web. */
const UNUSED = /^\.\.?\/(client-h2|web\/fetch\/body)\.js$/;

/** Native code that the SSH library takes where it is there: it goes on without, and a bundle cannot have it. */
const NATIVE = /^cpu-features$|\/sshcrypto\.node$/;

const UNDICI = path.sep + path.join('node_modules', 'undici') + path.sep;

const stubs = (root) => ({
  name: 'stubs',
  setup(build) {
    build.onResolve({ filter: /^signal-exit$/ }, () => ({ path: path.join(root, 'scripts/stubs/signal-exit.cjs') }));
    build.onResolve({ filter: UNUSED }, ({ importer }) =>
      importer.includes(UNDICI) ? { path: path.join(root, 'scripts/stubs/unused.cjs') } : undefined,
    );
    build.onResolve({ filter: NATIVE }, () => ({ path: path.join(root, 'scripts/stubs/missing.cjs') }));
    for (const [name, builtins] of Object.entries(STUBBED)) {
      const inside = path.sep + path.join('node_modules', name) + path.sep;
      build.onResolve({ filter: new RegExp(`^node:(${builtins.join('|')})$`) }, ({ path: builtin, importer }) =>
        importer.includes(inside)
          ? { path: path.join(root, 'scripts/stubs', `${builtin.slice('node:'.length)}.cjs`) }
          : undefined,
      );
    }
  },
});

/** jq has builds with its WebAssembly in a separate file or inline; only the inline one can be bundled. */
const inlineJq = {
  name: 'inline-jq',
  setup(build) {
    build.onResolve({ filter: /^jq-wasm$/ }, ({ resolveDir, kind }) =>
      build.resolve('jq-wasm/inline', { resolveDir, kind }),
    );
  },
};

/** Replaces a text that must be there. */
const replaced = (there, instead) => (source) => {
  if (!source.includes(there)) throw new Error(`a change of a package does not apply any more: ${there}`);
  return source.replace(there, () => instead);
};

const lazily = (method, make) => () => `((made) => ({ ${method}: (text) => (made ??= ${make}).${method}(text) }))();`;

/** Changes of files before they are bundled: the end of a path below node_modules or src, and what makes the new text of the old one. */
const CHANGES = [
  // It prints `Aborted()` when it runs out of memory, besides the error that it throws.
  ['jq-wasm/dist/inline.mjs', replaced('console.error(message);', '')],
  // A segmenter, or the pattern of all emoji, takes as long to make as Node to start; plain ASCII needs neither. Older versions have none.
  [
    'string-width/index.js',
    (source) =>
      source
        .replace('new Intl.Segmenter();', lazily('segment', 'new Intl.Segmenter()'))
        .replace('/^\\p{RGI_Emoji}$/v;', lazily('test', String.raw`new RegExp('^\\p{RGI_Emoji}$', 'v')`)),
  ],
  // The HTTP parser computes its tables at every start, which takes a millisecond; the client uses two of them.
  [
    'undici/lib/llhttp/constants.js',
    (_, file) => {
      const { ERROR, TYPE } = createRequire(import.meta.url)(file);
      return `module.exports = ${JSON.stringify({ ERROR, TYPE })};`;
    },
  ],
  // A tree of known header names, made at every start, takes longer than it saves.
  ['undici/lib/core/tree.js', () => 'module.exports = { tree: { lookup: () => undefined } };'],
  // The SSH library knows one of its classes by its name, which is another one in minified code.
  ['ssh2/lib/utils.js', replaced("channel.constructor.name === 'Session'", 'channel.incoming === undefined')],
  // An SFTP session ends without an exit code, which scp takes for a failure.
  [
    'ssh2/lib/protocol/SFTP.js',
    replaced(
      '  end() {\n',
      '  end() {\n    if (this.server && this.outgoing.state === "open") this._protocol.exitStatus(this.outgoing.id, 0);\n',
    ),
  ],
  // As text: parsing it takes a third of the time that its object literal takes.
  [
    'contract/openapi.json',
    (source) => `export default JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(source)))});`,
  ],
];

const changes = {
  name: 'changes',
  setup(build) {
    for (const [end, change] of CHANGES) {
      const filter = new RegExp(`[\\\\/]${end.replaceAll('.', '\\.').replaceAll('/', '[\\\\/]')}$`);
      build.onLoad({ filter }, async ({ path: file }) => ({
        contents: change(await readFile(file, 'utf8'), file),
        loader: 'js',
      }));
    }
  },
};

/**
 * The HTTP parser is WebAssembly, as text in two modules: with SIMD, and without for processors that lack it. This leaves
 * them out of the bundle, and collects their bytes in `binaries`, by the names of the files that the launcher loads.
 */
export const parserFiles = (binaries) => ({
  name: 'parser-files',
  setup(build) {
    build.onLoad({ filter: /[\\/]undici[\\/]lib[\\/]llhttp[\\/]llhttp[\w-]*-wasm\.js$/ }, ({ path: file }) => {
      const name = `${path.basename(file, '-wasm.js')}.wasm`;
      binaries.set(name, createRequire(import.meta.url)(file));
      return { contents: `module.exports = require('./${name}');`, loader: 'js' };
    });
    // Loaded with the client, and not with its first connection, so that a missing file is not taken for a failed connection.
    build.onLoad({ filter: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client-h1\.js$/ }, async ({ path: file }) => ({
      contents: `${await readFile(file, 'utf8')}\nrequire('../llhttp/llhttp_simd-wasm.js');`,
      loader: 'js',
    }));
    build.onResolve({ filter: /^\.\/llhttp\w*\.wasm$/ }, ({ path: name }) => ({ path: name, external: true }));
  },
});

/** `root` is the folder of the project. */
export const bundling = (root) => ({
  absWorkingDir: root,
  // The names of the files depend on the paths of the sources: a link to the packages must give the same names as a folder.
  preserveSymlinks: true,
  bundle: true,
  platform: 'node',
  target: 'node20',
  mainFields: ['module', 'main'],
  minify: true,
  logLevel: 'warning',
  plugins: [completionData(root), stubs(root), inlineJq, changes],
});

/** Returns the names of the output files that are dynamically imported CommonJS packages. */
export const commonJsEntries = ({ inputs, outputs }) =>
  new Set(
    Object.entries(outputs)
      .filter(([, { entryPoint }]) => entryPoint !== undefined && inputs[entryPoint]?.format === 'cjs')
      .map(([output]) => path.basename(output)),
  );
