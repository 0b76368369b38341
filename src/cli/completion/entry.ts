import { quotedForBash, splitLine } from './bash-line.ts';
import { builtTree } from './built-tree.ts';
import { candidatesAt, type Completion } from './candidates.ts';
import { type Place, placeOf } from './place.ts';
import type { Program } from '../model/command.ts';
import type { GlobalValues } from '../model/global-flags.ts';
import { expandFirstWord, type UserAliases } from '../parse/user-aliases.ts';
import type { Context } from '../../core/context.ts';
import { safeText } from '../../core/safe-text.ts';

interface Entry {
  /** The global flags in the command line that is completed: they select the profile. */
  readonly globals: GlobalValues;
  readonly run: (context: Context) => Promise<void>;
}

/** `__complete bash BREAKS LINE` or `__complete zsh|fish|powershell WORD...`. */
export async function completionEntry(argv: readonly string[], program: Program): Promise<Entry> {
  const [, shell = '', ...words] = argv;
  const tree = await builtTree(program);
  const line = shell === 'bash' ? splitLine(words[1] ?? '', words[0] ?? '') : undefined;
  const typed = line === undefined ? wordsOf(shell, words) : line.words.slice(1);
  const given = placeOf(tree, typed);
  return {
    // A person waits: the service is asked once.
    globals: { ...globalsOf(given, program), retries: '0', timeout: '1s' },
    run: async (context) => {
      const aliases = await context.profiles.aliases().catch(() => ({}));
      const isAlias = given.node === tree.nodes[''] && given.args.length > 0;
      const place = isAlias ? placeOf(tree, await expanded(typed, program, aliases)) : given;
      const offered = Object.entries(aliases).map(([value, description]) => ({ value, description }));
      const completion = await candidatesAt(tree, place, context, offered);
      const lines =
        line === undefined ? describedLines(completion) : bashLines(completion, typed.at(-1) ?? '', line.last);
      await context.stdout.write(safeText(`${lines.join('\n')}\n`, true));
    },
  };
}

/** PowerShell before 7.3 drops an empty argument: its script puts a mark before the last word. */
const wordsOf = (shell: string, words: readonly string[]): readonly string[] =>
  shell === 'powershell' ? [...words.slice(0, -1), (words.at(-1) ?? '').replace(/^=/, '')] : words;

async function expanded(
  words: readonly string[],
  { flags, nouns }: Program,
  aliases: UserAliases,
): Promise<readonly string[]> {
  const names = nouns.map(({ name }) => name);
  return await expandFirstWord(words, flags, names, () => Promise.resolve(aliases));
}

function globalsOf({ given }: Place, { flags }: Program): GlobalValues {
  const values: Record<string, string | boolean> = {};
  for (const { name, flag } of flags) {
    const value = given.get(flag);
    if (value !== undefined && SERVICE_FLAGS.includes(flag)) values[name] = value;
  }
  return values;
}

const SERVICE_FLAGS: readonly string[] = [
  '--profile',
  '--local',
  '--base-url',
  '--queue-url',
  '--rest-url',
  '--storage-url',
];

/** The first line has the kind and the text before a file's name; the others a word and its description. */
const describedLines = ({ kind, before, words }: Completion): readonly string[] => [
  `${kind}\t${before}`,
  ...words.map(({ value, description }) => (description === '' ? value : `${value}\t${safeText(description)}`)),
];

/** Nothing inside double quotes can quote `!` (bash history), so a value with it is not offered there. */
const bashLines = (
  { kind, words }: Completion,
  typed: string,
  last: ReturnType<typeof splitLine>['last'],
): readonly string[] => [
  kind,
  ...words
    .map(({ value }) => value)
    .filter((value) => value.startsWith(typed) && !(last.quote === '"' && value.includes('!')))
    .map((value) => quotedForBash(value, last)),
];
