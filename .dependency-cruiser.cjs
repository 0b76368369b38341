/**
 * The layers, as rules. Arrows go down only; each package has one place that knows it.
 * @type {import('dependency-cruiser').IConfiguration}
 */
'use strict';

/** What a result is, for every room of the output. */
const SHAPES = ['view', 'output', 'help-page', 'format-printer', 'trusted', 'without-secrets']
  .map((name) => `output/${name}.ts`)
  .concat('core');

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
  '^src/main\\.ts$': ['registry.ts', 'cli', 'host', 'core'],
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
  '^src/fleet/': ['fleet', 'core'],
  '^src/guard/': ['guard', 'core'],
  '^src/create/': ['create', 'core'],
  '^src/cli/': ['cli', 'output', 'core'],
  ...rooms(
    'cli',
    {
      completion: ['resource', 'parse', 'help', 'model', 'words'],
      parse: ['help', 'model', 'words'],
      resource: ['run', 'help', 'model', 'words'],
      run: ['help', 'model', 'words'],
      help: ['model', 'words'],
      model: ['words'],
      words: [],
    },
    ['output', 'core'],
  ),
  '^src/host/': ['host', 'settings', 'storage', 'http', 'local', 'core'],
  ...rooms(
    'host',
    {
      connection: ['pods', 'workers', 'process', 'lock', 'remembered', 'files', 'runtime'],
      terminal: ['runtime'],
      pods: ['process', 'runtime'],
      process: ['runtime'],
      workers: ['files'],
      files: ['runtime'],
      remembered: [],
      lock: [],
      runtime: [],
      executable: ['runtime'],
    },
    ['settings', 'storage', 'http', 'local', 'core'],
  ),
  '^src/storage/': ['storage', 'http', 'core'],
  '^src/storage/s3/': ['storage/s3', 'storage/objects', 'http', 'core'],
  '^src/storage/objects/': ['storage/objects', 'core'],
  '^src/http/': ['http', 'core'],
  ...rooms('http', { wire: ['message'], policy: ['message'], message: [] }, ['core']),
  '^src/settings/': ['settings', 'core'],
  '^src/output/': ['output', 'core'],
  // What all of the rooms share is in files of the folder itself.
  '^src/output/[^/]+$': SHAPES,
  ...rooms(
    'output',
    {
      live: ['print', 'formats', 'fields', 'tables', 'cells', 'text'],
      print: ['formats', 'fields', 'tables', 'cells', 'text'],
      formats: ['fields', 'tables', 'cells', 'text'],
      tables: ['fields', 'cells', 'text'],
      fields: ['cells'],
      cells: ['text'],
      text: [],
    },
    SHAPES,
  ),
  // The commands see only the entrance of the batches.
  '^src/batch/': ['batch', 'queue', 'core'],
  '^src/batch/bytes/': ['batch/bytes', 'core'],
  '^src/batch/read/': ['batch/read', 'batch/bytes', 'queue', 'core'],
  '^src/batch/plan/': ['batch/plan', 'batch/read', 'batch/bytes', 'queue', 'core'],
  '^src/batch/model/': ['batch/model', 'batch/read', 'queue', 'core'],
  '^src/batch/store/': ['batch/store', 'batch/model', 'batch/read', 'batch/bytes', 'queue', 'core'],
  '^src/batch/results/': [
    'batch/results',
    'batch/plan',
    'batch/store',
    'batch/model',
    'batch/read',
    'batch/bytes',
    'queue',
    'core',
  ],
  '^src/batch/run/': ['batch/run', 'batch/store', 'batch/model', 'batch/read', 'queue', 'core'],
  '^src/queue/': ['queue', 'core'],
  '^src/local/': ['local', 'core'],
  // Inside the local service, from the top down.
  '^src/local/index\\.ts$': [
    'local/service.ts',
    'local/objects',
    'local/pods',
    'local/table.ts',
    'local/file-store.ts',
    'local/workers',
    'local/http',
    'local/state',
    'local/contract',
    'core',
  ],
  '^src/local/service(-options)?\\.ts$': [
    'local/service-options.ts',
    'local/table.ts',
    'local/resources',
    'local/objects',
    'local/pods',
    'local/workers',
    'local/webhooks',
    'local/queue',
    'local/model',
    'local/http',
    'local/state',
    'local/contract',
    'core',
  ],
  '^src/local/table\\.ts$': ['local/resources', 'local/queue', 'local/http'],
  '^src/local/file-store\\.ts$': ['local/queue', 'local/state', 'core'],
  '^src/local/resources/': [
    'local/resources',
    'local/queue',
    'local/model',
    'local/http',
    'local/state',
    'local/contract',
    'core',
  ],
  '^src/local/objects/': ['local/objects', 'local/model', 'local/http/call', 'local/state', 'core'],
  '^src/local/pods/': ['local/pods', 'local/resources/pods', 'local/model', 'local/http/call', 'local/state', 'core'],
  '^src/local/workers/': ['local/workers', 'local/webhooks', 'local/queue', 'local/model', 'local/state', 'core'],
  '^src/local/webhooks/': ['local/webhooks', 'local/queue', 'local/state', 'core'],
  '^src/local/queue/': ['local/queue', 'local/model', 'local/http', 'local/state', 'local/contract', 'core'],
  ...rooms(
    'local/queue',
    {
      engine: ['protocol', 'jobs', 'state'],
      protocol: ['jobs', 'state'],
      jobs: ['state'],
      state: [],
    },
    ['local/model', 'local/state', 'core'],
  ),
  '^src/local/http/': ['local/http', 'local/state', 'local/contract', 'core'],
  ...rooms(
    'local/http',
    {
      routing: ['requests', 'faults', 'call'],
      requests: ['faults', 'call'],
      server: ['faults', 'call'],
      faults: ['call'],
      call: [],
    },
    ['local/state', 'local/contract', 'core'],
  ),
  '^src/local/model/': ['local/model', 'local/state', 'local/contract', 'core'],
  '^src/local/state/': ['local/state', 'local/contract', 'core'],
  '^src/local/contract/': ['local/contract', 'core'],
  '^src/core/': ['core'],
  '^src/core/(ports|json|control)/': ['core/ports', 'core/json', 'core/control', 'core/unit-types.ts'],
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
  'shell-quote': '^src/core/text/split-words\\.ts$',
  '(csv-parse|tinyqueue)': '^src/batch/',
  saxes: '^src/core/text/xml\\.ts$',
  chokidar: '^src/host/workers/',
  ignore: '^src/(host/workers|commands/files/copy)/',
  ssh2: '^src/host/pods/',
  tar: '^src/host/files/archives\\.ts$',
};

/** The nouns that import other nouns, each before those that it imports. Another noun imports only what is shared. */
const IMPORTING_NOUNS = ['apply', 'clusters', 'export', 'queue', 'schema', 'top', 'plan', 'catalog', 'pods', 'guard'];

const nounPath = (nouns) => `^src/commands/(${nouns.join('|')})[/.]`;

/** Rules that leave no circle of nouns. */
const nounRules = IMPORTING_NOUNS.slice(1)
  .map((noun, index) => ({
    name: `noun ${noun}`,
    severity: 'error',
    from: { path: nounPath([noun]) },
    to: { path: nounPath(IMPORTING_NOUNS.slice(0, index + 1)) },
  }))
  .concat({
    name: 'other nouns',
    severity: 'error',
    from: { path: '^src/commands/([^/.]+)', pathNot: nounPath(IMPORTING_NOUNS) },
    to: { path: '^src/commands/', pathNot: '^src/commands/(shared|$1)[/.]' },
  });

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
    ...nounRules,
    ...packageRules,
    {
      name: 'core imports nothing',
      severity: 'error',
      from: { path: '^src/core/' },
      to: { pathNot: ['^src/core/', 'node_modules/(lossless-json|shell-quote|saxes|@types)/'] },
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
