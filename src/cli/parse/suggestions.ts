import { aliasesOf, resolveAlias } from './aliases.ts';

/** Suggestions further away than this many edits are left out. */
const MOST_EDITS = 3;
/** Of the longer word, this share at least must be the same. */
const LEAST_ALIKE = 0.4;

/**
 * The edits that turn one word into another: a letter added, removed, replaced, or swapped with the next one (the
 * optimal string alignment distance).
 */
export function editDistance(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let at = 1; at <= to.length; at++) {
      const replaced = cell(last, at - 1) + (from[row - 1] === to[at - 1] ? 0 : 1);
      const swapped =
        row > 1 && at > 1 && from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1]
          ? cell(beforeLast, at - 2) + 1
          : Number.POSITIVE_INFINITY;
      current.push(Math.min(cell(last, at) + 1, cell(current, at - 1) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return cell(last, to.length);
}

const cell = (row: readonly number[], at: number): number => row[at] ?? Number.POSITIVE_INFINITY;

/** The words nearest to one that is not known, in alphabetical order: several where they are equally near. */
export function nearestOf(word: string, known: Iterable<string>): readonly string[] {
  let least = MOST_EDITS;
  const found = new Map<string, number>();
  for (const each of known) {
    // A single letter is near to everything.
    if (each.length <= 1) continue;
    const distance = editDistance(word, each);
    const length = Math.max(word.length, each.length);
    if (distance > least || (length - distance) / length <= LEAST_ALIKE) continue;
    least = distance;
    found.set(each, distance);
  }
  return [...found].flatMap(([each, distance]) => (distance === least ? [each] : [])).sort();
}

/** `Did you mean one of start, stop?`; undefined where there is nothing to suggest. */
export function suggestionOf(words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined;
  return `Did you mean ${words.length === 1 ? '' : 'one of '}${words.join(', ')}?`;
}

/**
 * `Did you mean list?`: the nearest of the known words, or of the words that other programs use for them; undefined where
 * none is near.
 */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const exact = resolveAlias(word, known);
  const near = exact === undefined ? nearestOf(word.toLowerCase(), [...known, ...aliasesOf(known)]) : [exact];
  return suggestionOf([...new Set(near.map((each) => resolveAlias(each, known) ?? each))]);
}
