/**
 * The layers, as rules. Arrows go down only; each package has one place that knows it.
 * @type {import('dependency-cruiser').IConfiguration}
 */
'use strict';

/** Rooms of a folder: what each imports of the others, and `below`, what all of them may import of src outside of it. */
const rooms = (folder, imports, below) =>
  Object.fromEntries(
    Object.entries(imports).map(([room, others]) => [
      `^src/${folder}/${room}${room.endsWith('.ts') ? '$' : '/'}`.replaceAll('.', '\\.'),
      [room, ...others].map((other) => `${folder}/${other}`).concat(below),
    ]),
  );

/** A layer and what it may import of src, itself included. */
const LAYERS = {
  '^src/executable\\.ts$': ['main.ts', 'host/executable'],
  '^src/main\\.ts$': ['registry.ts', 'cli', 'output', 'host', 'core'],
  '^src/registry\\.ts$': ['commands', 'cli', 'settings', 'core'],
  '^src/commands/': [
    'commands',
    'cli',
    'settings',
    'batch/index.ts',
    'create',
    'fleet',
    'guard',
    'queue',
    'output',
    'core',
  ],
  '^src/(fleet|guard|create|queue)/': ['$1', 'core'],
  '^src/cli/': ['cli', 'output', 'core'],
  ...rooms(
    'cli',
    {
      completion: ['resource', 'parse', 'help.ts', 'model', 'words.ts'],
      'logs.ts': ['resource', 'until.ts', 'run', 'model', 'words.ts'],
      container: ['resource', 'run', 'model', 'words.ts'],
      'money.ts': ['resource', 'model', 'words.ts'],
      resource: ['run', 'ask.ts', 'until.ts', 'money.ts', 'hint.ts', 'help.ts', 'model', 'words.ts'],
      parse: ['help.ts', 'model', 'words.ts'],
      'notify.ts': ['model', 'words.ts'],
      run: ['notify.ts', 'ask.ts', 'until.ts', 'hint.ts', 'help.ts', 'model', 'words.ts'],
      'ask.ts': ['help.ts', 'model', 'words.ts'],
      'until.ts': ['hint.ts', 'model', 'words.ts'],
      'hint.ts': ['words.ts'],
      'help.ts': ['model', 'words.ts'],
      model: ['words.ts'],
      'words.ts': [],
    },
    ['output', 'core'],
  ),
  '^src/host/': ['host', 'settings', 'storage', 'http', 'local', 'core'],
  ...rooms(
    'host',
    {
      connection: ['pods', 'workers', 'process', 'lock', 'remembered.ts', 'files', 'runtime'],
      terminal: ['runtime'],
      pods: ['process', 'runtime'],
      process: ['runtime'],
      workers: ['files'],
      files: ['runtime'],
      'remembered.ts': [],
      lock: [],
      runtime: [],
      executable: ['runtime'],
    },
    ['settings', 'storage', 'http', 'local', 'core'],
  ),
  '^src/storage/': ['storage', 'http', 'core'],
  '^src/http/': ['http', 'core'],
  '^src/http/wire/': ['http/wire', 'http/transport.ts', 'core'],
  '^src/settings/': ['settings', 'core'],
  '^src/output/': ['output', 'core'],
  ...rooms(
    'output',
    {
      live: ['render.ts', 'formats', 'tables', 'text'],
      formats: ['tables', 'text'],
      tables: ['text'],
      text: [],
    },
    ['cells.ts', 'cell-text.ts', 'fields.ts', 'view.ts', 'trusted.ts', 'without-secrets.ts']
      .map((name) => `output/${name}`)
      .concat('core'),
  ),
  // The commands see only the entrance of the batches.
  '^src/batch/': ['batch', 'queue', 'core'],
  '^src/local/': ['local', 'core'],
  // Inside the local service, from the top down.
  '^src/local/(resources|queue)/': [
    'local/resources',
    'local/queue',
    'local/model',
    'local/http',
    'local/state',
    'local/contract',
    'core',
  ],
  '^src/local/queue/': ['local/queue', 'local/model', 'local/http', 'local/state', 'local/contract', 'core'],
  '^src/local/workers/': ['local/workers', 'local/queue', 'local/model', 'local/state', 'core'],
  '^src/local/objects/': ['local/objects', 'local/model', 'local/http', 'local/state', 'core'],
  '^src/local/http/': ['local/http', 'local/state', 'local/contract', 'core'],
  '^src/local/model/': ['local/model', 'local/state', 'local/contract', 'core'],
  '^src/local/state/': ['local/state', 'local/contract', 'core'],
  '^src/local/contract/': ['local/contract', 'core'],
  '^src/core/': ['core'],
};

/** A package, or several, and the only files that may import it. */
const PACKAGES = {
  commander: '^src/cli/parse/command-line\\.ts$',
  undici: '^src/http/wire/[^/]+\\.ts$',
  conf: '^src/settings/profile-store\\.ts$',
  '@inquirer/[^/]+': '^src/host/terminal/prompts\\.ts$',
  '(chalk|ora|cli-table3)': '^src/output/',
  'big\\.js': '^src/commands/billing/',
  ajv: '^src/local/',
  'lossless-json': '^src/core/json\\.ts$',
  'shell-quote': '^src/cli/parse/user-aliases\\.ts$',
  'csv-parse': '^src/batch/',
  tinyqueue: '^src/(batch|local/queue)/',
  saxes: '^src/core/xml\\.ts$',
  ignore: '^src/(host/(workers|files)|commands/files)/',
  ssh2: '^src/host/pods/',
  '@modelcontextprotocol/sdk': '^src/commands/mcp/',
  tar: '^src/host/files/archives\\.ts$',
};

const layerRules = Object.entries(LAYERS).map(([from, allowed]) => ({
  name: `layer ${from}`,
  comment: `may import only ${allowed.join(', ')}`,
  severity: 'error',
  from: { path: from },
  to: { path: '^(src|test|scripts|bench|bin)/', pathNot: `^src/(${allowed.join('|').replaceAll('.', '\\.')})(/|$)` },
}));

const packageRules = Object.entries(PACKAGES).map(([name, owner]) => ({
  name: `package ${name}`,
  comment: `only ${owner} may import it`,
  severity: 'error',
  from: { path: '^src/', pathNot: owner },
  to: { path: `(^|/)node_modules/${name}(/|$)` },
}));

module.exports = {
  forbidden: [
    ...layerRules,
    ...packageRules,
    {
      name: 'core imports nothing',
      severity: 'error',
      from: { path: '^src/core/' },
      to: { pathNot: ['^src/core/', '^(fs|path)$', 'node_modules/(lossless-json|saxes|@types)/'] },
    },
    {
      name: 'no circle',
      comment: 'not of types either',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'no circle of folders',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'opened files',
      comment: 'commands take ctx.files',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(core|settings|host|local)/' },
      to: { path: '^src/core/regular-files\\.ts$' },
    },
    {
      name: 'trusted text',
      comment: 'what skips the check of safe text stays where text is drawn',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/output/' },
      to: { path: '^src/output/trusted\\.ts$' },
    },
    { name: 'no orphan', severity: 'error', from: { path: '^src/', pathNot: '\\.d\\.ts$', orphan: true }, to: {} },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    // Imports of types count too: a layer that knows another's types knows the other.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
      extensions: ['.ts', '.mjs', '.cjs', '.js', '.json'],
    },
  },
};
