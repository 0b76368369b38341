/** Commands, or whole groups, that send nothing to the management API by themselves. */
export const SILENT: readonly string[] = [
  'auth logout',
  'auth list',
  'auth switch',
  'config',
  'limits',
  'local',
  'completion',
  'mcp',
  'help',
  'schema',
  'version',
  // Read pods as `pods ssh` does, and need the programs of OpenSSH: end-to-end tests.
  'run',
  'pods exec',
  'pods cp',
  'pods forward',
  'pods connect',
  'pods ssh-config',
  // Uses the interface of files, and has its own tests.
  'files',
  // Uses only the queue API and has its own tests.
  'jobs batch',
];

/**
 * Parameters that no request of these commands has: the answers of the recorder have no further page, and secrets are looked
 * up by `name` only after a lost answer.
 */
export const UNSENT_PARAMETERS: readonly string[] = ['cursor', 'limit', 'name'];

/** Flags that do not change a request, or have their own tests: merged bodies, limits of a wait, an unchecked key. */
export const UNSENT: readonly string[] = [
  ...[
    'file',
    'set',
    'waitTimeout',
    'explain',
    'start',
    'out',
    'noCheck',
    'storage',
    'envFrom',
    'match',
    'status',
    'olderThan',
    'newerThan',
    'all',
    'sort',
    'force',
    'map',
    'limit',
    'paginate',
    'contract',
    'every',
    'listen',
    'until',
    'search',
    'regex',
    'interval',
    // test/unit/guard/idle.test.ts
    'idle',
    // test/unit/commands/pods/capacity.test.ts
    'prefer',
    'maxPrice',
    'untilAvailable',
    'startTimeout',
    'idempotencyKey',
  ],
];
