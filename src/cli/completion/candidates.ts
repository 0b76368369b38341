import type { Context } from '../../core/context.ts';
import { type Place, placeOf, type Wanted } from './place.ts';
import { valuesOf, volumePaths } from './values.ts';
import type { Candidate } from '../model/collection.ts';
import type { CompletionTree, CompletionValue } from './tree.ts';

/** Words, or the shell's own completion of files or programs. A path ending in `:` or `/` is unfinished. */
export interface Completion {
  readonly kind: 'words' | 'paths' | 'files' | 'commands';
  /** The text before the file's name in the same word: `--input=`, `@`. */
  readonly before: string;
  readonly words: readonly Candidate[];
}

const files = (before: string): Completion => ({ kind: 'files', before, words: [] });
const offer = (words: readonly Candidate[]): Completion => ({ kind: 'words', before: '', words });

/** Waits for the service for at most a second. */
export async function candidatesAt(
  tree: CompletionTree,
  place: Place,
  context: Context,
  aliases: readonly Candidate[],
): Promise<Completion> {
  const { node, wanted, given } = place;
  switch (wanted.kind) {
    case 'nothing':
      return offer([]);
    case 'word':
      return offer([
        ...node.words.map(({ word, summary }) => ({ value: word, description: summary })),
        ...(node === tree.nodes[''] ? aliases : []),
      ]);
    case 'flag':
      return offer(
        [...node.flags, ...tree.globals.filter(({ flag }) => !node.flags.some((own) => own.flag === flag))]
          .filter(({ flag, value }) => value?.many === true || !given.has(flag))
          .map(({ flag, summary }) => ({ value: flag, description: summary })),
      );
    case 'value':
      return await valueCandidates(tree, place, wanted, context);
  }
}

async function valueCandidates(
  tree: CompletionTree,
  place: Place,
  { value, before }: Extract<Wanted, { kind: 'value' }>,
  context: Context,
): Promise<Completion> {
  const { typed } = place;
  switch (value.source) {
    case 'file':
      return files(before);
    case '@file':
      return typed.startsWith('@') ? files(`${before}@`) : offer([]);
    case '=file': {
      const equals = typed.indexOf('=');
      return equals < 0 ? offer([]) : files(before + typed.slice(0, equals + 1));
    }
    case 'volume-path':
    case 'file-or-volume-path': {
      const { words, onlyFiles } = await volumePaths(typed, tree, context, value.source === 'file-or-volume-path');
      if (onlyFiles) return files(before);
      return { kind: 'paths', before: '', words: inWord(words, value, before, typed) };
    }
    case 'command':
      return { kind: place.args.length === 0 ? 'commands' : 'files', before, words: [] };
    case 'help':
      return offer(helpWords(tree, place, value));
    default: {
      const choices = value.choicesAfter?.[place.args.at(-1) ?? ''] ?? value.choices;
      const found = choices?.map((choice) => ({ value: choice, description: '' })) ?? [];
      const live = value.source === undefined ? [] : await valuesOf(tree, value.source, place, context);
      return offer(inWord([...found, ...live], value, before, typed));
    }
  }
}

function inWord(
  candidates: readonly Candidate[],
  { commas }: CompletionValue,
  before: string,
  typed: string,
): readonly Candidate[] {
  const head = commas === true ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const used = new Set(head.split(','));
  return candidates
    .filter(({ value }) => !used.has(value))
    .map(({ value, description }) => ({ value: before + head + value, description }));
}

function helpWords(tree: CompletionTree, { args }: Place, { choices = [] }: CompletionValue): readonly Candidate[] {
  const { node } = placeOf(tree, [...args, '']);
  const words = node.words.map(({ word, summary }) => ({ value: word, description: summary }));
  return args.length > 0 ? words : [...words, ...choices.map((topic) => ({ value: topic, description: 'topic' }))];
}
