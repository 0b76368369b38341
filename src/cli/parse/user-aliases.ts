import { usage } from '../../core/failure.ts';
import { firstWordAt, type Params } from '../model/params.ts';
import { commandOf } from '../words.ts';

export type UserAliases = Readonly<Record<string, string>>;

/** The command line with a command in place of a user's alias or a word of another tool. Usage (2). */
export async function expandFirstWord(
  argv: readonly string[],
  flags: Params,
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

/** Usage (2) for the name of a command, or a text without a command or with shell syntax. `$NAME` and `*` stay. */
export async function aliasWords(
  name: string,
  text: string,
  flags: Params,
  nouns: readonly string[],
): Promise<readonly string[]> {
  if (!ALIAS_NAME.test(name) || nouns.includes(name))
    throw usage(
      `${JSON.stringify(name)} cannot be the name of an alias`,
      'Use letters, digits and dashes, and not the name of a command.',
    );
  const { parse } = await import('shell-quote');
  const parsed = parse(text, (variable) => `$${variable}`);
  const words = parsed.flatMap((word) => {
    if (typeof word === 'string') return word;
    return 'op' in word && word.op === 'glob' ? word.pattern : [];
  });
  const hasOpenQuote = /['"]/.test(text.replace(/\\.|'[^']*'|"(?:\\.|[^"\\])*"/gs, ''));
  const at = firstWordAt(words, flags) ?? words.length;
  if (hasOpenQuote || words.length < parsed.length || !nouns.includes(words[at] ?? ''))
    throw usage(
      `alias.${name}: ${JSON.stringify(text)} is not a command of berth`,
      'Begin with a noun of `berth --help`, and quote what a shell would act on.',
    );
  return words;
}
