import { usage } from '../../core/failure.ts';
import type { GlobalFlag } from '../model/global-flags.ts';
import { commandOf } from '../words.ts';

export type UserAliases = Readonly<Record<string, string>>;

export function firstWordAt(argv: readonly string[], flags: readonly GlobalFlag[]): number | undefined {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (!word.startsWith('-') || word === '-') return at;
    if (word === '--') return undefined;
    const flag = flags.find(({ flag: name, short }) => name === word || short === word);
    if (flag?.metavar !== undefined) at++;
  }
  return undefined;
}

/** The command line with a command in place of a user's alias or a word of another tool. Usage (2). */
export async function expandFirstWord(
  argv: readonly string[],
  flags: readonly GlobalFlag[],
  nouns: readonly string[],
  readAliases: () => Promise<UserAliases>,
): Promise<readonly string[]> {
  const at = firstWordAt(argv, flags);
  const word = at === undefined ? undefined : argv[at];
  if (at === undefined || word === undefined || nouns.includes(word)) return argv;
  const aliases = await readAliases();
  const text = Object.hasOwn(aliases, word) ? aliases[word] : undefined;
  const words = text === undefined ? commandOf(word, nouns) : await aliasWords(word, text, flags, nouns);
  return words === undefined ? argv : [...argv.slice(0, at), ...words, ...argv.slice(at + 1)];
}

/** Cannot be taken for a flag. */
const ALIAS_NAME = /^[A-Za-z][A-Za-z0-9-]{0,31}$/;

/** Usage (2) for the name of a command, or a text without a command or with shell syntax. */
export async function aliasWords(
  name: string,
  text: string,
  flags: readonly GlobalFlag[],
  nouns: readonly string[],
): Promise<readonly string[]> {
  if (!ALIAS_NAME.test(name))
    throw usage(`${JSON.stringify(name)} cannot be the name of an alias`, 'Use letters, digits and dashes.');
  if (nouns.includes(name)) throw usage(`alias.${name}: ${name} is a command, which an alias cannot replace`);
  const words = await splitWords(text);
  if (words === 'open-quote') throw usage(`alias.${name}: a quote is not closed in ${JSON.stringify(text)}`);
  if (words === 'for-a-shell')
    throw usage(
      `alias.${name}: ${JSON.stringify(text)} has a part for a shell`,
      'An alias holds a command of berth and nothing else. Quote what is meant as text.',
    );
  const at = firstWordAt(words, flags);
  if (at === undefined || !nouns.includes(words[at] ?? ''))
    throw usage(
      `alias.${name}: ${JSON.stringify(text)} does not begin with a command`,
      'Begin with a noun of `berth --help`; another alias is none.',
    );
  return words;
}

/** Expands nothing: `$NAME` and `*` stay. `for-a-shell` is for what only a shell could run, such as `|`. */
async function splitWords(text: string): Promise<readonly string[] | 'open-quote' | 'for-a-shell'> {
  if (/['"]/.test(text.replace(/\\.|'[^']*'|"(?:\\.|[^"\\])*"/gs, ''))) return 'open-quote';
  const { parse } = await import('shell-quote');
  const words: string[] = [];
  for (const word of parse(text, (variable) => `$${variable}`)) {
    if (typeof word === 'string') words.push(word);
    else if ('op' in word && word.op === 'glob') words.push(word.pattern);
    else return 'for-a-shell';
  }
  return words;
}
