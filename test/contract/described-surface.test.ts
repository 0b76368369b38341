import { describe, expect, test } from 'vitest';
import { commandsOf } from '../../src/cli/model/command.ts';
import { describeProgram } from '../../src/commands/help/describe.ts';
import { parseCommandLine } from '../../src/cli/parse/command-line.ts';
import { FLAGS, NOUNS } from '../../src/registry.ts';
import { berth } from '../support/worlds/run-berth.ts';

/** What `berth help --json` prints, as far as this program uses it. */
interface Description {
  readonly commands: readonly {
    readonly command: string;
    readonly needsOneOf?: readonly (readonly string[])[];
    readonly arguments: readonly DescribedValue[];
    readonly flags: readonly (DescribedValue & { readonly flag: string })[];
  }[];
}

interface DescribedValue {
  readonly type: string;
  readonly required: boolean;
  readonly choices?: readonly string[];
  readonly default?: string | number;
  readonly requiredUnlessOneOf?: readonly string[];
}

// A program that knows nothing but `berth help --json` builds a command line for every command.

const PROGRAM = { nouns: NOUNS, flags: FLAGS };
const shown = (await commandsOf(PROGRAM)).filter(({ command }) => command.hidden !== true);
const description = describeProgram(PROGRAM, shown) as unknown as Description;
const { commands } = description;

test('`berth help --json` prints the description of every command', async () => {
  expect(JSON.parse((await berth(['help', '--json'])).out)).toEqual(description);
  expect(new Set(commands.map(({ command }) => command.split(' ')[0]))).toEqual(new Set(NOUNS.keys()));
});

test.each(['pods terminate', 'pods update', 'jobs cancel', 'queue purge', 'volumes update', 'apply', 'api'])(
  '%s asks, and has --yes',
  (name) => {
    expect(commands.find(({ command }) => command === name)).toMatchObject({ asks: true });
  },
);

/** Values by type; any other type takes any word. */
const VALUES: Readonly<Record<string, string>> = {
  ...{ integer: '1', number: '0.5', duration: '1m', json: '{}', url: 'https://example.com' },
};

const valueOf = ({ choices, default: fallback, type }: DescribedValue): string =>
  choices?.[0] ?? String(fallback ?? VALUES[type] ?? 'x');

test.each(commands)(
  '$command: a command line without an error of usage is made from its description',
  async ({ command, arguments: args, flags, needsOneOf = [] }) => {
    const needed = needsOneOf.map(([flag]) => flag);
    const argv = [
      ...command.split(' '),
      ...args.filter((each) => each.required || each.requiredUnlessOneOf !== undefined).map(valueOf),
      ...flags
        .filter(({ flag, required }) => required || needed.includes(flag))
        .flatMap((each) => [each.flag, ...(each.type === 'switch' ? [] : [valueOf(each)])]),
    ];
    expect(await parseCommandLine(argv, PROGRAM)).not.toHaveProperty('failure');
  },
);

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
