import { describe, expect, it } from 'vitest';
import { HELP_TOPICS } from '../../src/cli/help.ts';
import { type Command, commandsIn, type Group, visibleOptions } from '../../src/cli/model/command.ts';
import { FLAGS, NOUNS } from '../../src/registry.ts';
import { berth } from '../support/worlds/run-berth.ts';

/** The path of every command and group of a noun, beginning with the noun itself. */
function places(path: readonly string[], target: Command | Group): readonly (readonly string[])[] {
  const inner = target.kind === 'group' ? Object.entries(target.commands) : [];
  return [path, ...inner.flatMap(([word, each]) => places([...path, word], each))];
}

/** Pages that show the layout. What all of them say is in docs/reference, which is checked too. */
const GOLDEN: readonly string[] = ['pods create'];

const TOPICS: readonly string[] = HELP_TOPICS;

describe('help', () => {
  it('of berth itself', async () => {
    const { code, out, err } = await berth(['--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.trimEnd().split('\n').length, 'a screen').toBeLessThanOrEqual(50);
    await expect(out).toMatchFileSnapshot('../golden/help/berth.txt');
  });

  it.each(TOPICS)('on %s', async (topic) => {
    const { code, out, err } = await berth(['help', topic]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n').length).toBeGreaterThan(5);
  });

  it.each([...NOUNS])('of %s and its verbs', async (name, noun) => {
    const target = await noun.load({ nouns: NOUNS, flags: FLAGS });
    for (const path of places([name], target)) {
      const { code, out, err } = await berth([...path, '--help']);
      expect({ path, code, err }).toEqual({ path, code: 0, err: '' });
      if (name !== 'help') expect((await berth(['help', ...path])).out).toBe(out);
      if (GOLDEN.includes(path.join(' ')))
        await expect(out).toMatchFileSnapshot(`../golden/help/${path.join('-')}.txt`);
    }
  });
});

const words = (text: string): number => text.split(/\s+/).length;

it.each([...NOUNS])(
  'of %s has flags in at most twelve words, and details in at most three lines',
  async (name, noun) => {
    for (const { path, command } of commandsIn(await noun.load({ nouns: NOUNS, flags: FLAGS }), [name])) {
      const params = [...Object.entries(command.args), ...visibleOptions(command)];
      const long = params.filter(([, { summary }]) => words(summary) > 12).map(([key]) => key);
      const twice = params.filter(([, { summary, choices }]) => choices && summary.includes(choices.join(', ')));
      const { out } = await berth([...path, '--help']);
      const details = command.details === undefined ? [] : (out.split('\n\n')[2]?.split('\n') ?? []);
      expect([path, long, twice, details.slice(3)]).toEqual([path, [], [], []]);
    }
  },
);

it('of the flags of every command has at most twelve words each', () => {
  expect(Object.values(FLAGS).filter(({ summary }) => words(summary) > 12)).toEqual([]);
});

it('groups the flags of a command with many, and hides what only berth calls', async () => {
  const { out } = await berth(['pods', 'create', '--help']);
  expect(out.match(/^[A-Z][a-z ]+$/gm)).toEqual([
    'Examples',
    'Arguments',
    'Container',
    'Hardware',
    'Placement',
    'Storage',
    'Deadlines',
    'Waiting',
    'Other',
  ]);
  expect((await berth(['pods', '--help'])).out).not.toContain('connect ');
  expect((await berth(['help', 'local', '--json'])).out).not.toContain('"local worker-env"');
});

/** A line that is copied as it is, and so is never wrapped. */
const isLiteral = (line: string): boolean => /^ {2}(\S+=\S+ |\S*\()?(berth|source|echo|cat) /.test(line);

/** A word that is wider than its column. */
const isOneWord = (line: string): boolean => !line.trim().includes(' ');

describe('help in a narrow terminal', () => {
  const columns = 60;

  it.each([
    ['berth itself', [['--help']]],
    ['topics', TOPICS.map((topic) => ['help', topic])],
  ] as const)('of %s fits', async (_, lines) => {
    for (const argv of lines) await expectFits(argv);
  });

  it.each([...NOUNS])('of %s and its verbs fits', async (name, noun) => {
    for (const path of places([name], await noun.load({ nouns: NOUNS, flags: FLAGS })))
      await expectFits([...path, '--help']);
  });

  /** Expects that no line is too wide, that no word is broken, and that headings are bold. */
  async function expectFits(argv: readonly string[]): Promise<void> {
    const { out } = await berth(argv, { tty: true, columns });
    // oxlint-disable-next-line no-control-regex -- the escape sequences of bold text
    const plain = out.replace(/\u001b\[\d+m/g, '');
    for (const line of plain.split('\n'))
      if (!isLiteral(line) && !isOneWord(line)) expect(line.length, line).toBeLessThanOrEqual(columns);
    const wordsOf = (text: string): readonly string[] => text.split(/\s+/);
    expect(wordsOf(plain)).toEqual(wordsOf((await berth(argv)).out));
    // oxlint-disable-next-line no-control-regex -- the escape sequences of bold text
    const bold = [...out.matchAll(/^\u001b\[1m(.*)\u001b\[22m$/gm)].map(([, heading]) => heading);
    expect(bold).toEqual(expect.arrayContaining(plain.match(/^(Arguments|Flags|Verbs|Examples|More help)$/gm) ?? []));
  }
});

it('is as wide as the terminal, from 60 to 100 columns', async () => {
  const at = async (columns: number): Promise<string> => (await berth(['--help'], { tty: true, columns })).out;
  expect(await at(40)).toBe(await at(60));
  expect(await at(200)).toBe(await at(100));
  expect(await at(60)).not.toBe(await at(100));
});
