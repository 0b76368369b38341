/** The bundler options that the build and the benchmark share. */
import { readFile } from 'node:fs/promises';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import * as esbuild from 'esbuild';

const UNDICI = path.sep + path.join('node_modules', 'undici') + path.sep;
const COMMANDER = path.sep + path.join('node_modules', 'commander') + path.sep;

/** What is replaced: the imports, the package that has them (any without one), and the module in their place. */
const STUBS = [
  // The HTTP client loads these at start: it only calls assert(value, message), reads the maximum size of headers, and speaks HTTP/1.1.
  [
    /^node:assert$/,
    UNDICI,
    `module.exports = function assert(value, message) {
  if (value) return;
  const error = message instanceof Error ? message : new Error(message === undefined ? 'assertion failed' : message);
  error.code = 'ERR_ASSERTION';
  throw error;
};`,
  ],
  [/^node:http$/, UNDICI, 'module.exports = { maxHeaderSize: 16 * 1024 };'],
  [/^node:http2$/, UNDICI, 'module.exports = { constants: {} };'],
  // HTTP/2, and bodies that are a form or a stream of the web.
  [
    /^\.\.?\/(client-h2|web\/fetch\/body)\.js$/,
    UNDICI,
    `module.exports = () => { throw new Error('this part of the HTTP client is not bundled'); };
module.exports.extractBody = module.exports;`,
  ],
  // The parser of command lines starts programs only for subcommands in separate files.
  [/^node:child_process$/, COMMANDER, 'module.exports = {};'],
  // It sends every signal that could end the process again, so that those that Node ignores end it. berth ends with process.exit().
  [
    /^signal-exit$/,
    '',
    `const onExit = (listener) => {
  const call = (code) => listener(code, null);
  process.on('exit', call);
  return () => process.off('exit', call);
};
module.exports = Object.assign(onExit, { onExit });`,
  ],
  // It checks what a user answers to a server's questions, and berth's server asks none.
  [/\/ajv-provider\.js$/, '', 'module.exports = { AjvJsonSchemaValidator: class {} };'],
  // Native code that the SSH library takes where it is there.
  [/^cpu-features$|\/sshcrypto\.node$/, '', `throw new Error('this module is not in the bundle');`],
];

const stubs = {
  name: 'stubs',
  setup(build) {
    for (const [at, [filter, inside]] of STUBS.entries())
      build.onResolve({ filter }, ({ importer }) =>
        importer.includes(inside) ? { path: String(at), namespace: 'stub' } : undefined,
      );
    build.onLoad({ filter: /.*/, namespace: 'stub' }, ({ path: at }) => ({
      contents: `'use strict';\n${STUBS[at][2]}`,
    }));
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
  // The names of known headers and a tree of them, made at every start, take longer than they save.
  ['undici/lib/core/constants.js', () => 'module.exports = { headerNameLowerCasedRecord: Object.create(null) };'],
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
  // Each schema is made when it is first used, and none is compiled: both take longer than all messages of a session.
  [
    '@modelcontextprotocol/sdk/dist/esm/types.js',
    (source) => {
      const onUse = source.replaceAll(
        /^((?:export )?const \w+Schema =) ([^]*?);\n(?=[^\s})])/gm,
        '$1 onUse(() => $2);\n',
      );
      if (!onUse.includes('onUse(') || /Schema = (?!onUse\()/.test(onUse))
        throw new Error('schemas are made otherwise');
      return `${onUse}
z.config({ jitless: true });
function onUse(make) {
  let made;
  const schema = () => (made ??= make());
  return new Proxy({}, { get: (_, key) => schema()[key], has: (_, key) => key in schema() });
}`;
    },
  ],
  // As text: parsing it takes a third of the time that its object literal takes.
  [
    'contract/openapi.json',
    (source) => `export default JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(source)))});`,
  ],
];

const endsIn = (end) => new RegExp(`[\\\\/]${end.replaceAll('.', '\\.').replaceAll('/', '[\\\\/]')}$`);

const changes = {
  name: 'changes',
  setup(build) {
    for (const [end, change] of CHANGES)
      build.onLoad({ filter: endsIn(end) }, async ({ path: file }) => ({
        contents: change(await readFile(file, 'utf8'), file),
        loader: 'js',
      }));
  },
};

/** Runs sources, and returns what they export as `data`. `root` is the folder of the project. */
async function dataOf(root, contents) {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    stdin: { contents, resolveDir: root },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    logLevel: 'warning',
  });
  const module = new Module(path.join(root, 'sources.cjs'));
  module.filename = module.id;
  module.paths = [path.join(root, 'node_modules')];
  module._compile(outputFiles[0].text, module.id);
  return await module.exports.data;
}

/** Members that completion does not read. JSON has no functions. */
function leaveOut(key, value) {
  if (key === 'complete' && typeof value === 'object') return { ...value, view: undefined, schema: undefined };
  if (value?.kind !== 'command') return value;
  const { kind, summary, hidden, writes, notifies, watch, fields, args, options } = value;
  return { kind, summary, hidden, writes, notifies, watch, fields, args, options };
}

/** Sources that are replaced by their data: the end of a path, what makes the data, and what the source exports of it. */
const DATA = [
  [
    'completion/built-tree.ts',
    `import { builtTree } from './src/cli/completion/built-tree.ts';
import { FLAGS, NOUNS } from './src/registry.ts';
export const data = builtTree({ nouns: NOUNS, flags: FLAGS });`,
    'builtTree = () => Promise.resolve(data)',
  ],
  // To read all of the contract takes longer than a list.
  [
    'contract/rows.ts',
    `import { ROWS } from './src/local/contract/rows.ts'; export const data = [...ROWS];`,
    'ROWS = new Map(data)',
  ],
];

const data = (root) => ({
  name: 'data',
  setup(build) {
    for (const [end, make, exported] of DATA)
      build.onLoad({ filter: endsIn(end) }, async () => {
        const text = JSON.stringify(JSON.stringify(await dataOf(root, make), leaveOut));
        return { contents: `const data = JSON.parse(${text});\nexport const ${exported};`, loader: 'js' };
      });
  },
});

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
  plugins: [data(root), stubs, changes],
});

/**
 * Splitting gives a dynamically imported CommonJS package only a default export. Node also exports its members, and the
 * sources use them, so they are added where the package is imported.
 */
export function withMembers(text, { inputs, outputs }) {
  const packages = Object.keys(outputs)
    .filter((file) => inputs[outputs[file].entryPoint]?.format === 'cjs')
    .map((file) => path.basename(file));
  return text.replace(/\bimport\("\.\/([\w.-]+\.c?js)"\)/g, (whole, name) =>
    packages.includes(name) ? `${whole}.then(m=>({...m.default,default:m.default}))` : whole,
  );
}
