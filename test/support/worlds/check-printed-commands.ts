import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';
import { parseCommandLine } from '../../../src/cli/parse/command-line.ts';
import { Failure } from '../../../src/core/failure.ts';
import { Settings } from '../../../src/settings/settings.ts';
import type { GlobalFlags } from '../../../src/settings/resolve.ts';
import { FLAGS, NOUNS } from '../../../src/registry.ts';
import type { Ran } from './run-berth.ts';
import type { TestWorld } from './test-world.ts';

const PROGRAM = { nouns: NOUNS, flags: FLAGS };
const CHOOSE_ACCOUNT = ['profile', 'local', 'base-url', 'queue-url', 'rest-url'] as const;
const ADDRESSES = ['base-url', 'queue-url', 'rest-url', 'storage-url'] as const;

/** What a new shell of the same user has: the home with its files, and the key, which no flag gives. */
const OF_THE_USER = /^(HOME|XDG_\w+|PATH|BERTH_(CONFIG_DIR|DATA_DIR|API_KEY|API_KEY_FILE))$/;

/** Flags before the noun, with their values. */
const FLAGS_BEFORE = String.raw`(?:--(?:profile|base-url|queue-url|rest-url|storage-url)[ =](?:'[^']*'|[^\s'])+ |--[\w-]+ )*`;
const START = new RegExp(
  String.raw`(?<![\w/.-])berth (?=${FLAGS_BEFORE}(?:${[...NOUNS.keys()].join('|')})\b(?! service))`,
  'g',
);

/** Commands that only the reader can complete: they end before a value, so that a paste ends 2 and changes nothing. */
const WITHOUT_VALUE = /^(--\S+ )*((pods|endpoints) update .* --image|config set secret-prefix)$/;

/** The start of a text that is one word of a shell, with the blanks before it. */
const WORD = /^[^\S\n]*((?:'[^']*'|"\$\(printf '[^']*'\)"|\\.|[^\s'"`|<])+)/;

/**
 * Checks every command that a run has printed for a person: berth can read it, and it is for the account of the run. Help
 * pages and data are left out.
 */
export async function checkPrintedCommands(
  argv: readonly string[],
  { out, err, world }: Pick<Ran, 'out' | 'err' | 'world'>,
): Promise<void> {
  if (![out, err].some((text) => text.includes('berth '))) return;
  const run = await parseCommandLine(argv, PROGRAM);
  const path = 'path' in run ? run.path : [];
  if (run.globals['help'] === true || /^(help|schema|completion)$/.test(path[0] ?? '')) return;
  const isAdvice = path.includes('explain') || path[0] === 'doctor';
  for (const text of [...textsOf(err), ...(isAdvice ? jsonTextsOf(out) : [])])
    for (const command of commandsIn(stripVTControlCharacters(text)))
      await checkCommand(command, { of: run.globals, world }, text);
}

/** Each printed command as the words that a shell makes of it, without `berth`. */
export const commandsIn = (text: string): readonly (readonly string[])[] =>
  [...text.replace(/^.*Usage: .*$/gm, '').matchAll(START)].map((match) => {
    const words: string[] = [];
    let rest = match.input.slice(match.index + match[0].length);
    for (let word = WORD.exec(rest); word !== null; word = WORD.exec(rest)) {
      rest = rest.slice(word[0].length);
      const ended = /(?<!\.\.)[.,:;)?]+$/.test(word[1] ?? '');
      words.push(plainWord(ended ? (word[1] ?? '').replace(/[.,:;)?]+$/, '') : (word[1] ?? '')));
      if (ended) break;
    }
    return words;
  });

const plainWord = (word: string): string =>
  word.startsWith('"$(')
    ? 'escaped'
    : word.replace(/'([^']*)'|\\(.)/g, (_, quoted?: string, escaped?: string) => quoted ?? escaped ?? '');

/** The texts in JSON; none in other output, such as a table, which breaks long lines. */
function jsonTextsOf(output: string): readonly string[] {
  const texts: string[] = [];
  try {
    JSON.parse(output, (_, value: unknown) => (typeof value === 'string' && texts.push(value), value));
  } catch {
    // Not JSON.
  }
  return texts;
}

/** The texts of JSON, or the text itself. */
function textsOf(output: string): readonly string[] {
  const isJson = (line: string): boolean => jsonTextsOf(line).length > 0;
  const lines = output.split('\n');
  // A line of JSON behind other text has its line feeds escaped.
  return [
    ...lines.filter(isJson).flatMap(jsonTextsOf),
    lines
      .filter((line) => !isJson(line))
      .join('\n')
      .replaceAll(String.raw`\n`, '\n'),
  ];
}

async function checkCommand(
  words: readonly string[],
  { of, world }: { readonly of: GlobalFlags; readonly world: TestWorld },
  text: string,
): Promise<void> {
  const isOpen = WITHOUT_VALUE.test(words.join(' '));
  const parsed = await parseCommandLine([...words, ...(isOpen ? ['VALUE'] : [])], PROGRAM);
  const what = `berth ${words.join(' ')}, printed in: ${text}`;
  if ('failure' in parsed) expect.fail(`${parsed.failure.message}: ${what}`);
  const { path, globals } = parsed;
  if (globals['help'] === true || /^(help|schema|completion|local (serve|exec))\b/.test(path.join(' '))) return;
  // `auth login --profile other` is for the account that it names itself. The account of a run stands before the noun.
  const before = words.slice(0, words.indexOf(path[0] ?? ''));
  if (before.every((word) => !word.startsWith('--')) && CHOOSE_ACCOUNT.some((name) => globals[name] !== undefined))
    return;
  const ran = placeOf(world, of, path);
  // A `local` command for which no service is chosen acts on the one of this machine.
  if (path[0] === 'local' && ran !== undefined && isNowhere(ran) && globals.local === true) return;
  const pasted = placeOf(newShell(world), globals, path);
  // Where only variables name a service, a command is sent nowhere without them.
  if (ran !== undefined && (pasted === undefined || !isNowhere(pasted))) expect(pasted, what).toEqual(ran);
}

type Place = Readonly<Record<string, string | boolean | undefined>>;

const isNowhere = (place: Place): boolean =>
  'base-url' in place && (['base-url', 'queue-url', 'rest-url'] as const).every((name) => place[name] === undefined);

/** Where a command of these flags acts; undefined where a setting is refused. */
function placeOf(world: Pick<TestWorld, 'env'>, flags: GlobalFlags, path: readonly string[]): Place | undefined {
  try {
    const settings = new Settings(world as TestWorld, flags);
    if (settings.local) return /^(config|auth)$/.test(path[0] ?? '') ? undefined : { local: true };
    const { profile } = settings;
    if (path[0] === 'config' && path[1] !== 'list') return { profile };
    const addresses = ADDRESSES.filter((name) => name !== 'storage-url' || path[0] === 'files');
    const values: Place = Object.fromEntries(addresses.map((name) => [name, settings.get(name)]));
    return { profile, ...values, key: settings.keySource() };
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** The same user of the same machine, with nothing that this shell alone has. */
const newShell = (world: TestWorld): TestWorld => ({
  ...world,
  env: Object.fromEntries(Object.entries(world.env).filter(([name]) => OF_THE_USER.test(name))),
});
