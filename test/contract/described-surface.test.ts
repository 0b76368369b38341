import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandsOf } from '../../src/cli/model/command.ts';
import { describeProgram } from '../../src/commands/help/describe.ts';
import { parseCommandLine } from '../../src/cli/parse/command-line.ts';
import { FLAGS, NOUNS } from '../../src/registry.ts';
import {
  commandLines,
  examplesOf,
  type DescribedCommand,
  type Description,
} from '../support/described/command-lines.ts';
import { berth, berthIn } from '../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../support/worlds/test-world.ts';

// A program that knows nothing but `berth help --json` builds a command line for every command.

const PROGRAM = { nouns: NOUNS, flags: FLAGS };
const shown = (await commandsOf(PROGRAM)).filter(({ command }) => command.hidden !== true);
const description = describeProgram(PROGRAM, shown) as unknown as Description;
const { commands } = description;
const rows = (wanted: (command: DescribedCommand) => boolean) =>
  commands.filter(wanted).map((described) => [described.command, described] as const);

function createWorld() {
  const world = createTestWorld();
  writeFileSync(join(world.directory, 'items.jsonl'), '{"n":1}\n');
  writeFileSync(join(world.directory, 'fleet.yaml'), 'kind: volume\nname: datasets\n');
  return world;
}

/** Runs the command lines of a command until one ends 0. Returns the last run. */
async function runDescribed(world: TestWorld, described: DescribedCommand, flags: readonly string[]) {
  const ask = async (argv: readonly string[]) => (await berthIn(world, ['--local', ...argv])).out;
  const tried: string[] = [];
  for (const argv of await commandLines(described, ask)) {
    const line = ['--local', '--no-input', ...argv, ...flags.filter((flag) => !argv.includes(flag))];
    const ran = await berthIn(world, line);
    if (ran.code === 0) return ran;
    tried.push(`${line.join(' ')}: ${String(ran.code)} ${ran.err}`);
  }
  throw new Error(tried.join('\n'));
}

/** Runs the examples of the commands that write, so that there is something to read. */
async function writeFirst(world: TestWorld, noun: string): Promise<void> {
  for (const other of commands.filter(
    ({ command, writes, destroys }) => writes && !destroys && command.startsWith(`${noun} `),
  ))
    for (const argv of examplesOf(other)) await berthIn(world, ['--local', '--no-input', ...argv]);
}

test('`berth help --json` prints the description of every command', async () => {
  expect(JSON.parse((await berth(['help', '--json'])).out)).toEqual(description);
  expect(new Set(commands.map(({ command }) => command.split(' ')[0]))).toEqual(new Set(NOUNS.map(({ name }) => name)));
});

test.each(['pods terminate', 'pods update', 'jobs cancel', 'queue purge', 'volumes update', 'apply', 'api'])(
  '%s asks, and has --yes',
  (name) => {
    expect(commands.find(({ command }) => command === name)).toMatchObject({ asks: true });
  },
);

/** Commands whose dry run is refused in a new account, because it looks at what it is about. */
const NOTHING_TO_CHANGE: Readonly<Record<string, string>> = {
  'clusters update': 'no cluster has the name of its example',
  'jobs retry': 'no job has failed',
  run: 'its command follows --',
  'registries delete': 'its only registry is in use',
  ...Object.fromEntries(
    ['cp', 'mv', 'rm', 'sync'].map((verb) => [`files ${verb}`, 'its dry run is a table of files, not of requests']),
  ),
  ...Object.fromEntries(['add', 'remove'].map((verb) => [`tags ${verb}`, 'its example names a tag'])),
  'account ssh-keys remove': 'no key has the comment of its example',
};

/** Commands that have nothing to read in a new account. */
const NOTHING_TO_READ: Readonly<Record<string, string>> = {
  'endpoints logs': 'no endpoint has a worker before its first job',
  'endpoints builds get': 'no endpoint has a build',
  'global-volumes get': 'there is none',
};
/** Whether a test below runs it to its end, which says more than that its command line is parsed. */
function isRun({ command, writes, changesMachine, waits }: DescribedCommand): boolean {
  if (writes) return !(command in NOTHING_TO_CHANGE);
  return !changesMachine && !waits && !(command in NOTHING_TO_READ);
}

test.each(rows((each) => !isRun(each)))('%s: a command line without an error of usage', async (_, described) => {
  const world = createWorld();
  const ask = async (argv: readonly string[]) => (await berthIn(world, ['--local', ...argv])).out;
  const parsed = await Promise.all((await commandLines(described, ask)).map((argv) => parseCommandLine(argv, PROGRAM)));
  expect(parsed.some((each) => !('failure' in each))).toBe(true);
});

test.each(rows((each) => each.writes && each.command !== 'run' && !isRun(each)))(
  '%s: misses no input when it has all that are required',
  async (_, described) => {
    const world = createWorld();
    const ask = async (argv: readonly string[]) => (await berthIn(world, ['--local', ...argv])).out;
    const [line = []] = await commandLines(described, ask);
    const { err } = await berthIn(world, ['--local', '--no-input', ...line]);
    expect(err).not.toMatch(/error: (missing|nothing to change)/);
  },
);

/** Runs a command, if needed once more after the commands of its noun that write: a new account has no cluster. */
async function runWithSomethingThere(described: DescribedCommand, flags: readonly string[]) {
  const world = createWorld();
  const run = () => runDescribed(world, described, flags);
  return await run().catch(async () => {
    await writeFirst(world, described.command.split(' ')[0] ?? '');
    return await run();
  });
}

test.each(rows((each) => each.writes && isRun(each)))('%s: a dry run', async (_, described) => {
  const { out } = await runWithSomethingThere(described, ['--dry-run']);
  expect(JSON.parse(out)).toBeDefined();
});

test.each(rows((each) => !each.writes && isRun(each)))('%s: runs on the local service', async (_, described) => {
  await runWithSomethingThere(described, ['--json']);
});

describe('help', () => {
  test('describes one command, and the commands of a noun', async () => {
    const one = JSON.parse((await berth(['help', 'pods', 'get', '--json'])).out) as Description;
    expect(one.commands.map(({ command }) => command)).toEqual(['pods get']);
    const jobs = JSON.parse((await berth(['help', 'jobs', '-o', 'json'])).out) as Description;
    expect(jobs.commands.length).toBeGreaterThan(5);
    expect(jobs.commands.every(({ command }) => command.startsWith('jobs '))).toBe(true);
  });

  test('the text for an agent names every command and stays short', async () => {
    const text = (await berth(['help', '--agent'])).out;
    for (const { command } of commands) expect(text).toMatch(new RegExp(`^${command}( |$)`, 'm'));
    // Less than 4,300 tokens, at three characters or more for a token.
    expect(text.length).toBeLessThan(12_900);
  });
});
