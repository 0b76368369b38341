import { describe, expect, test } from 'vitest';
import { commandsOf } from '../../src/cli/model/command.ts';
import { NO_WORDS, printed } from '../../src/core/message.ts';
import { parseCommandLine } from '../../src/cli/parse/command-line.ts';
import { flagName, type Param, parseValue } from '../../src/cli/model/params.ts';
import { FLAGS, NOUNS } from '../../src/registry.ts';
import { berth, berthIn } from '../support/worlds/run-berth.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';

// A flag of one value refuses a second one, at every command: to drop one in silence may cost money.

const PROGRAM = { nouns: NOUNS, flags: FLAGS };
const COMMANDS = await commandsOf(PROGRAM);

/** The message of the failure that a command line is refused with; undefined where it is parsed. */
async function refusalOf(argv: readonly string[]): Promise<string | undefined> {
  const parsed = await parseCommandLine(argv, PROGRAM);
  if (!('failure' in parsed)) return undefined;
  expect(parsed.failure.exit).toBe(2);
  return `${parsed.failure.message}\n${printed(parsed.failure.hint ?? '', { accountWords: NO_WORDS })}`;
}

/** A value that a flag takes. */
const valueOf = (param: Param<unknown>): string =>
  [...(param.choices ?? []), 'one', '1', '1m', '10', '503'].find((text) => {
    try {
      parseValue(param, text, 'flag');
      return true;
    } catch {
      return false;
    }
  }) ?? 'one';

/** The ways to write two values. */
const written = (flag: string, short: string | undefined): readonly (readonly string[])[] => [
  [flag, 'one', flag, 'two'],
  [`${flag}=one`, flag, 'two'],
  [`${flag}=one`, `${flag}=two`],
  ...(short === undefined
    ? []
    : [
        [short, 'one', flag, 'two'],
        [`${short}one`, short, 'two'],
        [short, 'one', `${short}two`],
      ]),
];

test.each(COMMANDS.map(({ path, command }) => [path.join(' '), command] as const))(
  '%s refuses a second value of each flag that takes one, and takes the others twice',
  async (line, command) => {
    const path = line.split(' ');
    for (const [key, param] of Object.entries(command.options)) {
      const flag = flagName(key);
      const value = valueOf(param);
      const given = param.metavar === undefined ? [flag, param.short ?? flag] : [flag, value, `${flag}=${value}`];
      const said = (await refusalOf([...path, ...given])) ?? '';
      const twice = `${flag} takes one value, not 2: "${value}", "${value}"\n`;
      if (param.metavar !== undefined && !param.many) expect(said).toContain(twice);
      else expect(said, given.join(' ')).not.toContain('takes one value');
    }
  },
);

const WITH_VALUE = Object.entries(FLAGS).filter(([, { metavar }]) => metavar !== undefined);

test.each(WITH_VALUE.map(([key, { short }]) => [flagName(key), short] as const))(
  '%s is refused a second time at every position',
  async (flag, short) => {
    for (const words of written(flag, short)) {
      const middle = words.findIndex((word, at) => at > 0 && word.startsWith('-'));
      const [first, second] = [words.slice(0, middle), words.slice(middle)];
      for (const line of [
        ['pods', 'list', ...words],
        [...words, 'pods', 'list'],
        [...first, 'pods', 'list', ...second],
        [...first, 'pods', ...second, 'list'],
        ['pods', ...first, 'list', ...second],
      ])
        expect(await refusalOf(line), line.join(' ')).toContain(`${flag} takes one value, not 2: "one"`);
    }
  },
);

describe('the message names all values', () => {
  test.each<[string, string, string]>([
    ['pods create --cpu A --cpu A', '"A", "A"', 'Keep one'],
    ['pods create --name=x --name y --name z', 'not 3: "x", "y", "z"', 'Keep one'],
    ['--fields id pods list --fields name', '"id", "name"', 'Write several with commas: --fields A,B.'],
    ['-o json pods list --output yaml', '--output takes one value, not 2: "json", "yaml"', 'Keep'],
    ['pods list -wo json -o yaml', '"json", "yaml"', 'Keep'],
    ['pods list -ojson -wo yaml', '"json", "yaml"', 'Keep'],
    ['--profile a pods list --profile b', '--profile takes one value', 'Keep'],
  ])('%s', async (line, message, hint) => {
    const { code, out, err } = await berth(line.split(' '));
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(err).toContain(hint);
  });
});

test('a flag may have another value than its variable', async () => {
  const { code, out } = await berth(['--local', 'pods', 'list', '-o', 'id'], { env: { BERTH_OUTPUT: 'yaml' } });
  expect([code, out]).toEqual([0, expect.stringMatching(/^pod-/) as string]);
});

test('words after the name of another program are its own', async () => {
  const parsed = await parseCommandLine(['local', 'exec', '--state', 's', '--', 'x', '--state', 't'], PROGRAM);
  expect(parsed).toMatchObject({ values: { state: 's', command: ['x', '--state', 't'] } });
});

test('a flag in an alias and one beside it', async () => {
  const world = createTestWorld();
  await berthIn(world, ['config', 'set', 'alias.mine', 'pods list -o wide --all']);
  const { code, err } = await berthIn(world, ['--local', 'mine', '-o', 'csv']);
  expect([code, err]).toEqual([2, expect.stringContaining('--output takes one value, not 2: "wide", "csv"') as string]);
});
