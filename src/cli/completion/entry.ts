import { builtTree } from './built-tree.ts';
import { candidatesAt, type Completion, placeOf } from './complete.ts';
import type { Program } from '../model/command.ts';
import type { GlobalValues } from '../model/global-flags.ts';
import { expandFirstWord } from '../parse/user-aliases.ts';
import type { Context } from '../../core/context.ts';
import { safeText } from '../../core/safe-text.ts';

/** They say which service, and which key. */
const SERVICE_FLAGS = ['profile', 'local', 'base-url', 'queue-url', 'rest-url', 'storage-url'];

/** `__complete bash BREAKS LINE` or `__complete zsh|fish|powershell WORD...`. Opens the profile that the line selects. */
export async function complete(
  argv: readonly string[],
  program: Program,
  open: (globals: GlobalValues) => Context,
): Promise<void> {
  const [, shell = '', ...words] = argv;
  const tree = await builtTree(program);
  const line = shell === 'bash' ? splitLine(words[1] ?? '', words[0] ?? '') : undefined;
  // PowerShell before 7.3 drops an empty argument: its script puts a mark before the last word.
  const last = (words.at(-1) ?? '').replace(shell === 'powershell' ? /^=/ : '', '');
  const typed = line === undefined ? [...words.slice(0, -1), last] : line.words.slice(1);
  let place = placeOf(tree, typed);
  const service = SERVICE_FLAGS.map((name) => [name, place.given.get(name)] as const);
  // A person waits: the service is asked once.
  const context = open({ ...Object.fromEntries(service), retries: '0', timeout: '1s' });
  const aliases = await context.profiles.aliases().catch(() => ({}));
  if (place.node === tree.root && place.args.length > 0) {
    const nouns = Object.keys(tree.root.commands);
    place = placeOf(tree, await expandFirstWord(typed, program.flags, nouns, () => Promise.resolve(aliases)));
  }
  const offered = Object.entries(aliases).map(([value, description]) => ({ value, description }));
  const completion = await candidatesAt(tree, place, context, offered);
  const lines = line === undefined ? describedLines(completion) : bashLines(completion, typed.at(-1) ?? '', line.last);
  await context.stdout.write(safeText(`${lines.join('\n')}\n`, true));
}

/** The first line has the kind and the text before a file's name; the others a word and its description. */
const describedLines = ({ kind, before, words }: Completion): readonly string[] => [
  `${kind}\t${before}`,
  ...words.map(({ value, description }) => (description === '' ? value : `${value}\t${safeText(description)}`)),
];

/** Nothing inside double quotes can quote `!` (bash history), so a value with it is not offered there. */
const bashLines = ({ kind, words }: Completion, typed: string, last: LastWord): readonly string[] => [
  kind,
  ...words
    .map(({ value }) => value)
    .filter((value) => value.startsWith(typed) && !(last.quote === '"' && value.includes('!')))
    .map((value) => quotedForBash(value, last)),
];

interface LastWord {
  readonly quote: '' | '"' | "'";
  /** The part that bash does not replace: everything before the last word break, without quotes. */
  readonly kept: string;
}

/** White space, an escaped character, quoted text that may be open, or another character. */
const PART =
  /(?<space>\s+)|\\(?<escaped>.)|'(?<single>[^']*)(?<end1>'?)|"(?<double>(?:\\.|[^"\\])*\\?)(?<end2>"?)|(?<other>.)/gsu;

/** `breaks` is COMP_WORDBREAKS: bash replaces only what follows the last unquoted one (and `@`, `$` itself). */
export function splitLine(
  line: string,
  breaks: string,
): { readonly words: readonly string[]; readonly last: LastWord } {
  const words: string[] = [];
  let [word, kept]: [string, string] = ['', ''];
  let quote: LastWord['quote'] = '';
  for (const { groups = {} } of line.trimStart().matchAll(PART)) {
    const { space, escaped, single, end1, double, end2, other } = groups;
    quote = end1 === '' ? "'" : end2 === '' ? '"' : '';
    if (space !== undefined) {
      words.push(word);
      [word, kept] = ['', ''];
      continue;
    }
    const before = word;
    word += escaped ?? single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? other ?? '';
    if (other !== undefined && breaks.includes(other)) kept = '@$'.includes(other) ? before : word;
  }
  // Bash ignores break characters inside quotes, so `kept` ends before an open quote.
  return { words: [...words, word], last: { quote, kept } };
}

/** What bash must insert in place of the text after the last word break. */
export function quotedForBash(value: string, { quote, kept }: LastWord): string {
  const rest = value.slice(kept.length);
  switch (quote) {
    case "'":
      return rest.replaceAll("'", `'\\''`);
    case '"':
      return rest.replace(/["\\$`]/g, '\\$&');
    case '':
      return rest.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
  }
}
