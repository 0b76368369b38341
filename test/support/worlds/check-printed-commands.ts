import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';
import { parseCommandLine } from '../../../src/cli/parse/command-line.ts';
import type { GlobalValues } from '../../../src/cli/model/global-flags.ts';
import { FLAGS, NOUNS } from '../../../src/registry.ts';
import type { Ran } from './run-berth.ts';
import type { TestWorld } from './test-world.ts';

const PROGRAM = { nouns: NOUNS, flags: FLAGS };
const CHOOSE_ACCOUNT = ['profile', 'local', 'base-url', 'queue-url', 'rest-url'] as const;

/** Flags before the noun, with their values. */
const FLAGS_BEFORE = String.raw`(?:--(?:profile|base-url|queue-url|rest-url)[ =](?:'[^']*'|[^\s'])+ |--[\w-]+ )*`;
const START = new RegExp(
  String.raw`(?<![\w/.-])berth (?=${FLAGS_BEFORE}(?:${NOUNS.map(({ name }) => name).join('|')})\b(?! service))`,
  'g',
);

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
      await checkCommand(command, { of: accountOf(run.globals, world.env), env: world.env }, text);
}

/** The flags of the run; where none chooses the account, those that say the same as its environment. */
function accountOf(globals: GlobalValues, env: TestWorld['env']): GlobalValues {
  if (CHOOSE_ACCOUNT.some((name) => globals[name] !== undefined)) return globals;
  if (env['BERTH_LOCAL'] === '1') return { ...globals, local: true };
  const isOwn = ['API_KEY', 'API_KEY_FILE', 'BASE_URL', 'QUEUE_URL', 'REST_URL'].some((name) => env[`BERTH_${name}`]);
  return isOwn || !env['BERTH_PROFILE'] ? globals : { ...globals, profile: env['BERTH_PROFILE'] };
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
  { of, env }: { readonly of: GlobalValues; readonly env: TestWorld['env'] },
  text: string,
): Promise<void> {
  const parsed = await parseCommandLine(words, PROGRAM);
  const what = `berth ${words.join(' ')}, printed in: ${text}`;
  if ('failure' in parsed) expect.fail(`${parsed.failure.message}: ${what}`);
  const { path, globals } = parsed;
  if (globals['help'] === true || /^(help|schema|completion|local (serve|exec))\b/.test(path.join(' '))) return;
  // `auth login --profile other` is for the account that it names itself. The account of a run stands before the noun.
  const before = words.slice(0, words.indexOf(path[0] ?? ''));
  const isOwn = before.every((word) => !word.startsWith('--'));
  if (isOwn && CHOOSE_ACCOUNT.some((name) => globals[name] !== undefined && globals[name] !== of[name])) return;
  if (CHOOSE_ACCOUNT.some((name) => isRefused(name, of[name]))) return;
  for (const name of CHOOSE_ACCOUNT) {
    // The address of a variable is printed where another shell would use that of a profile.
    const isOfVariable =
      globals[name] !== undefined && globals[name] === env[`BERTH_${name.toUpperCase().replace('-', '_')}`];
    // `berth local ...` acts on the local service, with the flag or without it.
    const isOfNoun = name === 'local' && path[0] === 'local';
    if (!isOfVariable && !isOfNoun) expect(globals[name], `--${name} of ${what}`).toEqual(of[name]);
  }
}

const isRefused = (name: string, value: unknown): boolean =>
  typeof value === 'string' &&
  (name === 'profile' ? !/^[A-Za-z0-9][\w.-]{0,63}$/.test(value) : !URL.canParse(value) || /[@?#]/.test(value));
