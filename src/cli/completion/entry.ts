import { builtTree } from './built-tree.ts';
import { candidatesAt, type Completion } from './candidates.ts';
import { folderOfList, type Place, placeOf, renewFolder, renewList } from './live.ts';
import type { CompletionTree } from './tree.ts';
import type { Program } from '../model/command.ts';
import type { GlobalValues } from '../model/global-flags.ts';
import { expandFirstWord, type UserAliases } from '../parse/user-aliases.ts';
import type { Context } from '../../core/context.ts';
import { safeText } from '../../core/safe-text.ts';

/** For bash, which gives a completion function the line as it was typed. */

type Quote = '' | '"' | "'";

interface LastWord {
  readonly quote: Quote;
  /** The part that bash does not replace: everything before the last word break, without quotes. */
  readonly kept: string;
}

/** `breaks` is COMP_WORDBREAKS: bash replaces only what follows the last unquoted one (and `@`, `$` itself). */
export function splitLine(
  line: string,
  breaks: string,
): { readonly words: readonly string[]; readonly last: LastWord } {
  const words: string[] = [];
  let word = '';
  let started = false;
  let quote: Quote = '';
  let kept = '';
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    const next = line.charAt(at + 1);
    if (quote === "'") {
      if (character === "'") quote = '';
      else word += character;
    } else if (character === '\\' && next !== '' && (quote === '' || '"\\$`'.includes(next))) {
      word += next;
      at++;
      started = true;
    } else if (quote === '"') {
      if (character === '"') quote = '';
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      started = true;
    } else if (/\s/.test(character)) {
      if (started) words.push(word);
      [word, kept, started] = ['', '', false];
    } else {
      const start = word;
      word += character;
      started = true;
      if (breaks.includes(character)) kept = '@$'.includes(character) ? start : word;
    }
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

/** The hidden command that reads a list again. Any other one completes. */
const RENEW = '__renew';

interface Entry {
  /** The global flags in the command line that is completed: they select the profile. */
  readonly globals: GlobalValues;
  readonly run: (context: Context) => Promise<void>;
}

/** `__complete bash BREAKS LINE`, `__complete zsh|fish|powershell WORD...` or `__renew LIST FLAG...`. */
export async function completionEntry(argv: readonly string[], program: Program): Promise<Entry> {
  const [command, ...rest] = argv;
  const tree = await builtTree(program);
  if (command === RENEW) {
    const [list = '', ...flags] = rest;
    const source = tree.lists[list];
    const given = placeOf(tree, [...flags, '']);
    return {
      // The next completion asks again: a retry would only delay the answer.
      globals: { ...globalsOf(given, program), retries: '0' },
      run: async (context) => {
        const folder = folderOfList(list);
        if (source !== undefined) await renewList(context, list, source);
        else if (folder !== undefined) await renewFolder(context, folder, tree.lists);
      },
    };
  }
  const [shell = '', ...words] = rest;
  const line = shell === 'bash' ? splitLine(words[1] ?? '', words[0] ?? '') : undefined;
  const typed = line === undefined ? wordsOf(shell, words) : line.words.slice(1);
  const given = placeOf(tree, typed);
  const globals = globalsOf(given, program);
  return {
    globals,
    run: async (context) => {
      const aliases = await context.profiles.aliases().catch(() => ({}));
      const isAlias = given.node === tree.nodes[''] && given.args.length > 0;
      const place = isAlias ? placeOf(tree, await expanded(typed, program, aliases)) : given;
      const completion = await complete(tree, place, globals, context, program, aliases);
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

async function complete(
  tree: CompletionTree,
  place: Place,
  globals: GlobalValues,
  context: Context,
  program: Program,
  aliases: UserAliases,
): Promise<Completion> {
  const { lists, jobs, profiles, clock, background } = context;
  const flags = program.flags.flatMap(({ name, flag, metavar }) => {
    const value = globals[name];
    if (value === undefined) return [];
    return metavar === undefined ? [flag] : [`${flag}=${String(value)}`];
  });
  return await candidatesAt(tree, place, {
    lists,
    jobs,
    profiles,
    clock,
    aliases: Object.entries(aliases).map(([value, description]) => ({ value, description })),
    renew: (list) => background([RENEW, list, ...flags]),
    entries: async (folder) => await (await context.durable()).entries(folder),
  });
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
