import { usage } from '../../core/failure.ts';
import { splitWords } from '../../core/text/split-words.ts';
import type { GlobalFlag } from '../model/global-flags.ts';
import type { GivenWords } from './repeated-flags.ts';

/** The user's aliases: the words that each stands for, as text. */
export type UserAliases = Readonly<Record<string, string>>;

/** The place of the first word of a command line that is no flag and no value of one; undefined without such a word. */
function firstWordAt(argv: readonly string[], flags: readonly GlobalFlag[]): number | undefined {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (!word.startsWith('-') || word === '-') return at;
    if (word === '--') return undefined;
    const flag = flags.find(({ flag: name, short }) => name === word || short === word);
    if (flag?.metavar !== undefined) at++;
  }
  return undefined;
}

/**
 * Replaces an alias at the beginning of a command line by the words that it stands for, once: an alias does not lead to
 * another one. `nouns` are never aliases; only for another word does it read the aliases. Fails with usage (2) for an alias
 * whose text is no command of berth.
 */
export async function expandAlias(
  argv: readonly string[],
  flags: readonly GlobalFlag[],
  nouns: readonly string[],
  read: () => Promise<UserAliases>,
): Promise<GivenWords> {
  const at = firstWordAt(argv, flags);
  const word = at === undefined ? undefined : argv[at];
  if (at === undefined || word === undefined || nouns.includes(word)) return { argv };
  const aliases = await read();
  const text = Object.hasOwn(aliases, word) ? aliases[word] : undefined;
  if (text === undefined) return { argv };
  const words = await aliasWords(word, text, flags, nouns);
  return {
    argv: [...argv.slice(0, at), ...words, ...argv.slice(at + 1)],
    alias: { name: word, at, count: words.length },
  };
}

/** A name of an alias: a short word that cannot be taken for a flag. */
const ALIAS_NAME = /^[A-Za-z][A-Za-z0-9-]{0,31}$/;

/**
 * The words of an alias. Fails with usage (2) for a name that is a command or no word, and for a text that does not begin
 * with a command or holds what only a shell could run.
 */
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
