/** Words with a larger edit distance are not suggested: 1 for three letters, 2 up to six, 3 for longer words. */
const maxEdits = (length: number): number => (length <= 3 ? 1 : length <= 6 ? 2 : 3);
/** The share of the longer word that must be the same. */
const MIN_SIMILARITY = 0.4;

/**
 * The number of edits that turn one word into another: a letter inserted, deleted, replaced, or swapped with the next one
 * (optimal string alignment distance).
 */
function editDistance(from: string, to: string): number {
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

/** The known words with the smallest edit distance to a word, in any case, in alphabetical order. */
export function nearestOf(word: string, known: Iterable<string>): readonly string[] {
  let least = Number.POSITIVE_INFINITY;
  const wanted = word.toLowerCase();
  const found = new Map<string, number>();
  for (const each of known) {
    // A single letter is similar to every short word.
    if (each.length <= 1) continue;
    const distance = editDistance(wanted, each.toLowerCase());
    const length = Math.max(word.length, each.length);
    if (distance > Math.min(least, maxEdits(length)) || (length - distance) / length <= MIN_SIMILARITY) continue;
    least = distance;
    found.set(each, distance);
  }
  return [...found].flatMap(([each, distance]) => (distance === least ? [each] : [])).sort();
}

/** `Did you mean one of start, stop?`; undefined without words. */
export function suggestionOf(words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined;
  return `Did you mean ${words.length === 1 ? '' : 'one of '}${words.join(', ')}?`;
}

/** `Did you mean list?`, with the nearest known words; undefined if none is near. */
export const suggestName = (name: string, known: readonly string[]): string | undefined =>
  suggestionOf(nearestOf(name, known));
