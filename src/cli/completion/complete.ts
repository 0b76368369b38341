/** What may stand at the end of an unfinished command line. */
import type { Context } from '../../core/context.ts';
import type { Candidate } from '../model/collection.ts';
import { verbOf } from '../words.ts';
import type { CompletionFlag, CompletionNode, CompletionTree, CompletionValue } from './tree.ts';
import { valuesOf, volumePaths } from './values.ts';

export interface Place {
  readonly node: CompletionNode;
  readonly args: readonly string[];
  /** By name: the value, or true for a switch. */
  readonly given: ReadonlyMap<string, string | true>;
  readonly wanted: 'word' | 'flag' | CompletionValue | undefined;
  /** The unfinished word, without what stands before a value in it: `--status=`. */
  readonly typed: string;
  readonly before: string;
}

const NOTHING: CompletionNode = { words: [], args: [], flags: [] };

/** `words` follow `berth`. Unknown words and flags are skipped, so that the rest is still completed. */
export function placeOf(tree: CompletionTree, words: readonly string[]): Place {
  const typed = words.at(-1) ?? '';
  const path: string[] = [];
  let node = tree.nodes[''] ?? NOTHING;
  const flagNamed = (name: string): CompletionFlag | undefined =>
    [...node.flags, ...tree.globals].find(({ flag, short }) => flag === name || short === name);
  const args: string[] = [];
  const given = new Map<string, string | true>();
  let open: CompletionFlag | undefined;
  let flagsEnded = false;
  for (const word of words.slice(0, -1)) {
    if (open !== undefined) {
      given.set(open.flag, word);
      open = undefined;
    } else if (!flagsEnded && word === '--') flagsEnded = true;
    else if (!flagsEnded && word.length > 1 && word.startsWith('-')) {
      const [name = '', ...rest] = word.split('=');
      const flag = flagNamed(name);
      if (flag?.value !== undefined && rest.length === 0) open = flag;
      else if (flag !== undefined) given.set(flag.flag, flag.value === undefined || rest.join('='));
    } else {
      const verb = verbOf(
        word,
        node.words.map((each) => each.word),
      );
      flagsEnded ||= verb === undefined && node.args[args.length]?.source === 'command';
      if (verb === undefined) args.push(word);
      else {
        path.push(verb);
        node = tree.nodes[path.join(' ')] ?? NOTHING;
      }
    }
  }
  const place = { node, args, given, typed, before: '' };
  if (open !== undefined) return { ...place, wanted: open.value };
  if (!flagsEnded && typed.startsWith('-')) {
    const [name = '', ...value] = typed.split('=');
    if (value.length === 0) return { ...place, wanted: 'flag' };
    return { ...place, wanted: flagNamed(name)?.value, before: `${name}=`, typed: value.join('=') };
  }
  if (node.words.length > 0) return { ...place, wanted: args.length === 0 ? 'word' : undefined };
  const last = node.args.at(-1);
  return { ...place, wanted: node.args[args.length] ?? (last?.many === true ? last : undefined) };
}

/** Words, or the shell's own completion of files or programs. A path ending in `:` or `/` is unfinished. */
export interface Completion {
  readonly kind: 'words' | 'paths' | 'files' | 'commands';
  /** The text before the file's name in the same word: `--input=`, `@`. */
  readonly before: string;
  readonly words: readonly Candidate[];
}

const files = (before: string): Completion => ({ kind: 'files', before, words: [] });
const offer = (words: readonly Candidate[]): Completion => ({ kind: 'words', before: '', words });
const verbsOf = ({ words }: CompletionNode): readonly Candidate[] =>
  words.map(({ word, summary }) => ({ value: word, description: summary }));

/** Waits for the service for at most a second. */
export async function candidatesAt(
  tree: CompletionTree,
  place: Place,
  context: Context,
  aliases: readonly Candidate[],
): Promise<Completion> {
  const { node, wanted, given, args, typed, before } = place;
  if (wanted === undefined) return offer([]);
  if (wanted === 'word') return offer([...verbsOf(node), ...(node === tree.nodes[''] ? aliases : [])]);
  if (wanted === 'flag')
    return offer(
      [...node.flags, ...tree.globals.filter(({ flag }) => !node.flags.some((own) => own.flag === flag))]
        .filter(({ flag, value }) => value?.many === true || !given.has(flag))
        .map(({ flag, summary }) => ({ value: flag, description: summary })),
    );
  const { source, choices = [] } = wanted;
  switch (source) {
    case 'file':
      return files(before);
    case '@file':
      return typed.startsWith('@') ? files(`${before}@`) : offer([]);
    case '=file':
      return typed.includes('=') ? files(before + typed.slice(0, typed.indexOf('=') + 1)) : offer([]);
    case 'volume-path':
    case 'file-or-volume-path': {
      const words = await volumePaths(typed, tree, context, source === 'file-or-volume-path');
      return words === 'files' ? files(before) : { kind: 'paths', before: '', words: inWord(words, wanted, place) };
    }
    case 'command':
      return { kind: args.length === 0 ? 'commands' : 'files', before, words: [] };
    case 'help': {
      const words = verbsOf(placeOf(tree, [...args, '']).node);
      const topics = choices.map((topic) => ({ value: topic, description: 'topic' }));
      return offer(args.length > 0 ? words : [...words, ...topics]);
    }
    default: {
      const known = wanted.choicesAfter?.[args.at(-1) ?? ''] ?? choices;
      const live = source === undefined ? [] : await valuesOf(tree, source, place, context);
      return offer(inWord([...known.map((value) => ({ value, description: '' })), ...live], wanted, place));
    }
  }
}

/** With what stands before a value in its word, and without the values that the word has. */
function inWord(
  candidates: readonly Candidate[],
  { commas }: CompletionValue,
  { before, typed }: Place,
): readonly Candidate[] {
  const head = commas === true ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const used = new Set(head.split(','));
  return candidates
    .filter(({ value }) => !used.has(value))
    .map(({ value, description }) => ({ value: before + head + value, description }));
}
