import { aliasesOf, resolveAlias } from './aliases.ts';
import { nearestOf, suggestionOf } from '../../core/text/nearest.ts';

/** How many names that begin with a word are suggested. */
const MAX_NAMES = 5;

/** The known names that are nearest to one; else those that begin with it. */
export function nearestNames(name: string, known: readonly string[]): readonly string[] {
  const near = nearestOf(name, known);
  if (near.length > 0 || name.length < 3) return near;
  const begun = known.filter((each) => each.toLowerCase().startsWith(name.toLowerCase()));
  return [...new Set(begun)].slice(0, MAX_NAMES);
}

/** `Did you mean list?`, with the nearest known word, or the word that an alias stands for; undefined if none is near. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const exact = resolveAlias(word, known);
  const near = exact === undefined ? nearestOf(word.toLowerCase(), [...known, ...aliasesOf(known)]) : [exact];
  return suggestionOf([...new Set(near.map((each) => resolveAlias(each, known) ?? each))]);
}
