import { expect, test } from 'vitest';
import { type Command, commandsOf, type Group, type Program } from '../../src/cli/model/command.ts';
import { flagName, type Param } from '../../src/cli/model/params.ts';
import { FLAGS, NOUNS } from '../../src/registry.ts';
import { groupHelp } from '../../src/cli/help.ts';

/** Every collection has the same verbs with the same flags. This is what a collection lacks, and why. */
interface Collection {
  /** Verbs without an operation of the API. */
  readonly without?: readonly string[];
  /** Verbs whose flags are their own. */
  readonly differing?: readonly string[];
  /** Whether create starts something that can be waited for. */
  readonly starts?: boolean;
}

const COLLECTIONS: Readonly<Record<string, Collection>> = {
  pods: { starts: true },
  endpoints: { starts: true },
  clusters: { starts: true },
  volumes: {},
  'global-volumes': { without: ['update'] },
  // A key and a value in the place of a name.
  tags: { differing: ['create', 'update', 'delete'] },
  templates: {},
  // A credential is write-only and has no PATCH: another one is created in its place.
  registries: { without: ['update'] },
  // An update sends its value and its description one after the other, and takes no other members.
  secrets: { differing: ['update'] },
};

const VERBS = ['list', 'get', 'create', 'update', 'delete'];

const PROGRAM: Program = { nouns: NOUNS, flags: FLAGS };

const COMMANDS = (await commandsOf(PROGRAM)).map(({ path, command }) => [path.join(' '), command] as const);

function groupsIn(path: string, target: Command | Group): readonly (readonly [path: string, group: Group])[] {
  if (target.kind === 'command') return [];
  return [
    [path, target],
    ...Object.entries(target.commands).flatMap(([word, each]) => groupsIn(`${path} ${word}`, each)),
  ];
}

const GROUPS = new Map(
  (await Promise.all(Array.from(NOUNS.values(), async (noun) => groupsIn(noun.name, await noun.load(PROGRAM))))).flat(),
);

function commandAt(path: string): Command {
  const found = COMMANDS.find(([each]) => each === path);
  if (found === undefined) throw new Error(`there is no ${path}`);
  return found[1];
}

/** Every flag of a command, common flags included, by the name that the user types. */
const flagsOf = (command: Command): ReadonlyMap<string, Param<unknown>> =>
  new Map(Object.entries(command.options).map(([key, param]) => [flagName(key), param] as const));

const rows = Object.entries(COLLECTIONS).flatMap(([noun, { without = [], differing = [], starts = false }]) =>
  VERBS.filter((verb) => ![...without, ...differing].includes(verb)).map((verb) => ({ noun, verb, starts })),
);

test('every group with list and get is in the table of collections', () => {
  const found = [...GROUPS].flatMap(([path, { commands }]) => ('list' in commands && 'get' in commands ? [path] : []));
  // The settings of this machine are not a collection of the service, and builds belong to an endpoint.
  expect(found.filter((path) => !['config', 'endpoints builds'].includes(path)).sort()).toEqual(
    Object.keys(COLLECTIONS).sort(),
  );
});

test.each(Object.entries(COLLECTIONS))(
  '%s has the verbs of a collection, in their order, and no other name for them',
  (noun, { without = [] }) => {
    const verbs = Object.keys(GROUPS.get(noun)?.commands ?? {});
    expect(verbs.filter((verb) => VERBS.includes(verb))).toEqual(VERBS.filter((verb) => !without.includes(verb)));
  },
);

test.each(rows.filter(({ verb }) => verb === 'list'))('$noun list needs nothing and changes nothing', ({ noun }) => {
  const command = commandAt(`${noun} list`);
  expect([command.args, command.writes]).toEqual([{}, undefined]);
  expect(Object.values(command.options).some(({ required }) => required)).toBe(false);
});

test.each(rows.filter(({ verb }) => ['get', 'update', 'delete'].includes(verb)))(
  '$noun $verb takes an id or a name, get and delete several',
  ({ noun, verb }) => {
    const args = Object.entries(commandAt(`${noun} ${verb}`).args);
    const [[key, param] = ['', undefined], ...others] = args.filter(([, { afterDashes }]) => afterDashes !== true);
    expect([key, others]).toEqual(['id', []]);
    expect(param).toMatchObject({ required: true, many: verb !== 'update' });
    expect(param?.summary).toMatch(verb === 'update' ? / id or name$/ : / ids or names$/);
    expect(param?.metavar).toMatch(/^[A-Z-]+$/);
  },
);

test.each(rows.filter(({ verb }) => ['create', 'update'].includes(verb)))(
  '$noun $verb takes --set, --file, --dry-run and --name',
  ({ noun, verb }) => {
    const command = commandAt(`${noun} ${verb}`);
    const flags = flagsOf(command);
    expect([...flags.keys()]).toEqual(expect.arrayContaining(['--name', '--set', '--file', '--dry-run']));
    expect(flags.get('--set')).toMatchObject({ many: true, metavar: 'PATH=VALUE' });
    expect(flags.get('--file')).toMatchObject({ short: '-f', metavar: 'FILE' });
    expect(command.writes).toBe(true);
    // A value that can be in a file is not a required flag.
    expect([...flags.values()].filter(({ required }) => required)).toEqual([]);
  },
);

test.each(rows.filter(({ verb }) => verb === 'delete'))('$noun delete asks, unless --yes', ({ noun }) => {
  const flags = flagsOf(commandAt(`${noun} delete`));
  expect([...flags.keys()]).toEqual(expect.arrayContaining(['--dry-run', '--yes']));
  expect(flags.get('--yes')).toMatchObject({ short: '-y' });
});

test.each(rows.filter(({ verb }) => verb === 'delete'))('$noun delete takes selectors in place of ids', ({ noun }) => {
  const flags = flagsOf(commandAt(`${noun} delete`));
  expect([...flags.keys()]).toEqual(expect.arrayContaining(['--match', '--all']));
  expect(commandAt(`${noun} delete`).args['id']?.unless).toEqual(['match', 'status', 'olderThan', 'all']);
  expect([...flagsOf(commandAt(`${noun} list`)).keys()]).toEqual(expect.arrayContaining(['--match', '--sort']));
});

test.each(rows.filter(({ verb }) => verb === 'create'))(
  '$noun create has --wait exactly where it starts something',
  ({ noun, starts }) => {
    const flags = flagsOf(commandAt(`${noun} create`));
    expect([flags.has('--wait'), flags.has('--wait-timeout')]).toEqual([starts, starts]);
  },
);

test.each(['--image', '--args', '--entrypoint', '--cmd', '--disk', '--port', '--env', '--registry'])(
  '%s is the same wherever a container is described',
  (flag) => {
    const found = rows.flatMap(({ noun, verb }) => flagsOf(commandAt(`${noun} ${verb}`)).get(flag) ?? []);
    expect(found.length).toBeGreaterThan(4);
    expect(
      new Set(found.map(({ summary, metavar, many }) => `${summary} ${String(metavar)} ${String(many)}`)).size,
    ).toBe(1);
  },
);

test.each(rows)('what $noun $verb is for begins with what all collections say of it', ({ noun, verb }) => {
  const first: Readonly<Record<string, RegExp>> = {
    list: /^list /,
    get: /^show a /,
    create: /^(create|store) a /,
    update: /^(change|rename) /,
    delete: /^(delete|terminate) [a-z ]*s\b/,
  };
  expect(commandAt(`${noun} ${verb}`).summary).toMatch(first[verb] ?? /^$/);
});

test.each(COMMANDS)('%s says what it does and what its flags do', (_, command) => {
  const said = [
    command.summary,
    ...Object.values({ ...command.args, ...command.options }).map(({ summary }) => summary),
  ];
  for (const summary of said) expect(summary).toMatch(/^\S.*[^.\s]$/);
});

/** Flags of one command that have the name of a global flag, and why. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  // A batch is many requests, and the flag limits the time of all of them.
  'jobs batch run': ['--timeout'],
  'jobs batch resume': ['--timeout'],
  // The command, and not a request.
  run: ['--timeout'],
};

test.each(COMMANDS)('%s has no flag that means something else everywhere, and none twice', (path, command) => {
  const flags = flagsOf(command);
  const taken = Object.keys(FLAGS)
    .map(flagName)
    .filter((flag) => !(OWN[path] ?? []).includes(flag));
  expect([...flags.keys()].filter((flag) => taken.includes(flag))).toEqual([]);
  const shorts = [...flags.values(), ...Object.values(FLAGS)].flatMap(({ short }) => short ?? []);
  expect(shorts.length).toBe(new Set(shorts).size);
});

// These do not change the account: nothing of it can be lost.
const OF_OTHERS = ['pods ssh-config', 'local reset'];
/** Their flags say what may be lost, and a copy stands before a move removes anything. */
const UNASKED = ['guard run', 'files mv'];
const destroying = COMMANDS.filter(([path, { destroys }]) => destroys && ![...OF_OTHERS, ...UNASKED].includes(path));

test.each(destroying)('%s destroys something: --yes and --dry-run', (_, command) => {
  expect([...flagsOf(command).keys()]).toEqual(expect.arrayContaining(['--yes', '--dry-run']));
});

test('help offers every verb of every collection', () => {
  for (const { noun, verb } of rows) {
    const group = GROUPS.get(noun);
    expect(group === undefined ? '' : JSON.stringify(groupHelp([noun], group))).toMatch(new RegExp(`"${verb}[ "]`));
  }
});
