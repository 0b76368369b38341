import { verbOf } from '../words.ts';
import type { CompletionFlag, CompletionNode, CompletionTree, CompletionValue } from './tree.ts';

export type Wanted =
  | { readonly kind: 'word' }
  | { readonly kind: 'flag' }
  /** `before` is the text before the value in the same word: `--status=`, or empty. */
  | { readonly kind: 'value'; readonly value: CompletionValue; readonly before: string }
  | { readonly kind: 'nothing' };

export interface Place {
  readonly node: CompletionNode;
  readonly wanted: Wanted;
  readonly typed: string;
  readonly args: readonly string[];
  /** By name: the value, or true for a switch. */
  readonly given: ReadonlyMap<string, string | true>;
}

/** `words` follow `berth`. Unknown words and flags are skipped, so that the rest is still completed. */
export function placeOf(tree: CompletionTree, words: readonly string[]): Place {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? '';
  let path = '';
  let node = nodeAt(tree, path);
  const args: string[] = [];
  const given = new Map<string, string | true>();
  let open: CompletionFlag | undefined;
  let flagsEnded = false;
  for (const word of before) {
    if (open !== undefined) {
      given.set(open.flag, word);
      open = undefined;
    } else if (!flagsEnded && word === '--') {
      flagsEnded = true;
    } else if (!flagsEnded && word.length > 1 && word.startsWith('-')) {
      const [name = '', ...rest] = word.split('=');
      const flag = flagNamed(tree, node, name);
      if (flag === undefined) continue;
      if (flag.value === undefined) given.set(flag.flag, true);
      else if (rest.length > 0) given.set(flag.flag, rest.join('='));
      else open = flag;
    } else {
      const next = verbOf(
        word,
        node.words.map((each) => each.word),
      );
      if (next === undefined) {
        if (node.args[args.length]?.source === 'command') flagsEnded = true;
        args.push(word);
      } else {
        path = path === '' ? next : `${path} ${next}`;
        node = nodeAt(tree, path);
      }
    }
  }
  const place = { node, typed, args, given };
  if (open?.value !== undefined) return { ...place, wanted: { kind: 'value', value: open.value, before: '' } };
  if (!flagsEnded && typed.startsWith('-')) return flagPlace(tree, place);
  return { ...place, wanted: wantedWord(node, args.length) };
}

function flagPlace(tree: CompletionTree, place: Omit<Place, 'wanted'>): Place {
  const { node, typed } = place;
  const equals = typed.indexOf('=');
  if (equals < 0) return { ...place, wanted: { kind: 'flag' } };
  const value = flagNamed(tree, node, typed.slice(0, equals))?.value;
  if (value === undefined) return { ...place, wanted: { kind: 'nothing' } };
  const before = typed.slice(0, equals + 1);
  return { ...place, typed: typed.slice(equals + 1), wanted: { kind: 'value', value, before } };
}

function wantedWord(node: CompletionNode, position: number): Wanted {
  // An unknown word where a verb is expected: the words after it are unknown too.
  if (node.words.length > 0) return { kind: position === 0 ? 'word' : 'nothing' };
  const last = node.args.at(-1);
  const value = node.args[position] ?? (last?.many === true ? last : undefined);
  return value === undefined ? { kind: 'nothing' } : { kind: 'value', value, before: '' };
}

const NOTHING: CompletionNode = { words: [], args: [], flags: [] };

const nodeAt = (tree: CompletionTree, path: string): CompletionNode => tree.nodes[path] ?? NOTHING;

const flagNamed = (tree: CompletionTree, node: CompletionNode, name: string): CompletionFlag | undefined =>
  [...node.flags, ...tree.globals].find(({ flag, short }) => flag === name || short === name);
