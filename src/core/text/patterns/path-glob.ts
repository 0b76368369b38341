import { alternatives, tokensOf, type NameMatcher, type Token } from './glob.ts';

/** One part of a pattern for paths. `any`: any text. `folders`: no text, or any text that ends with a slash. */
type PathToken = Token | 'any' | 'folders';

/**
 * Compiles a pattern for paths: as `compileGlobs`, but `*`, `?` and brackets match no slash, `**` matches any text, a folder
 * name of `**` also none, and `!` has no meaning at the beginning. The number of steps is at most the product of both
 * lengths for each alternative. Fails with usage (2) for more than 256 alternatives.
 */
export function compilePathGlob(pattern: string, label: string): NameMatcher {
  const all = alternatives(pattern, label).map(pathTokensOf);
  return (path) => {
    const characters = Array.from(path);
    return all.some((tokens) => matchesPath(tokens, characters));
  };
}

/** Splits at `**`; what is between has the tokens of a name. */
const pathTokensOf = (pattern: string): readonly PathToken[] =>
  pattern.split(/((?<![^/])\*\*\/|\*\*+)/u).flatMap((part): readonly PathToken[] => {
    if (part === '**/') return ['folders'];
    if (/^\*\*+$/.test(part)) return ['any'];
    return tokensOf(part, true);
  });

/** Keeps the set of tokens that may come next, so that no pattern takes exponential time. */
function matchesPath(tokens: readonly PathToken[], characters: readonly string[]): boolean {
  // A number below the length: this token is next. A number that is one half larger: inside a `folders` token.
  let states = reachable(tokens, [0]);
  for (const character of characters) {
    const next = new Set<number>();
    for (const state of states) {
      const at = Math.floor(state);
      const token = tokens[at];
      if (token === undefined) continue;
      if (token === 'folders') {
        next.add(at + 0.5);
        if (character === '/') next.add(at + 1);
      } else if (token === 'any' || (token === 'star' && character !== '/')) next.add(at);
      else if (typeof token === 'function' && token(character)) next.add(at + 1);
    }
    states = reachable(tokens, next);
  }
  return states.has(tokens.length);
}

/** Adds the tokens that come next when tokens that match no text are skipped. */
function reachable(tokens: readonly PathToken[], states: Iterable<number>): Set<number> {
  const all = new Set(states);
  for (const state of all) if (Number.isInteger(state) && typeof tokens[state] === 'string') all.add(state + 1);
  return all;
}
