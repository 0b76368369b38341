import { usage } from './failure.ts';

/** Fails with usage (2) for a repeated name. */
export function namedValues<T>(
  flag: string,
  entries: readonly (readonly [name: string, value: T])[],
): Record<string, T> {
  const names = entries.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw usage(`${flag} gives ${twice} twice`, 'It has one value: keep one of them.');
  return Object.fromEntries(entries);
}

/** Optimal string alignment distance: swapping two neighbours is one edit. */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, at) => at)];
  const cell = (row: number, at: number): number => rows[row]?.[at] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    rows.push(current);
    for (let at = 1; at <= to.length; at++) {
      const replaced = cell(row - 1, at - 1) + (from[row - 1] === to[at - 1] ? 0 : 1);
      const isSwap = from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
      const swapped = isSwap ? cell(row - 2, at - 2) + 1 : replaced;
      current.push(Math.min(cell(row - 1, at) + 1, cell(row, at - 1) + 1, replaced, swapped));
    }
  }
  return cell(from.length, to.length);
}

/** Those with the fewest differences. A single letter is similar to every short word. */
export function nearestOf(word: string, known: Iterable<string>): readonly string[] {
  const near = [...new Set(known)]
    .filter((each) => each.length > 1)
    .map((each) => ({ each, distance: editDistance(word.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, distance }) => distance <= Math.min(3, Math.ceil(Math.max(word.length, each.length) / 3)));
  const least = Math.min(...near.map(({ distance }) => distance));
  return near.flatMap(({ each, distance }) => (distance === least ? [each] : [])).sort();
}

export function suggestionOf(words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined;
  return `Did you mean ${words.length === 1 ? '' : 'one of '}${words.join(', ')}?`;
}

export const suggestName = (name: string, known: readonly string[]): string | undefined =>
  suggestionOf(nearestOf(name, known));

/** Fails with usage (2) for text that is not UTF-8: replaced characters would be sent or stored. */
export function utf8Text(bytes: Uint8Array, from: string, hint: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usage(`${from} is not UTF-8 text`, hint);
  }
}

/** Characters whose order in UTF-16 is not that of their bytes in UTF-8. */
const OTHER_ORDER = /[\ud800-\uffff]/;

export function compareBytes(one: string, other: string): number {
  if (one === other) return 0;
  if (OTHER_ORDER.test(one) && OTHER_ORDER.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return one < other ? -1 : 1;
}
