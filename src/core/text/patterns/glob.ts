import { usage } from '../../failure.ts';

/** Whether a whole name matches a pattern. */
export type NameMatcher = (name: string) => boolean;

/** One part of a pattern: any text, or one character that passes a test. */
export type Token = 'star' | ((character: string) => boolean);

/** The most patterns that braces may expand to. */
const MAX_ALTERNATIVES = 256;

/**
 * Compiles patterns of a shell for names: `*` is any text, `?` one character, `[a-c]` one of these and `[!a-c]` one of the
 * others, `{a,b}` either, a backslash takes the next character as it is, and `!` at the beginning turns a pattern around. A
 * name matches when one of the patterns does. A name is no path: `*` matches a slash and a leading dot too. The number of
 * steps is at most the product of both lengths for each alternative, because names come from the service. `label` names the flag. Fails with
 * usage (2) for an empty pattern, and for more than 256 alternatives.
 */
export function compileGlobs(patterns: readonly string[], label: string): NameMatcher {
  const matchers = patterns.map((pattern) => compileGlob(pattern, label));
  return (name) => matchers.some((matches) => matches(name));
}

function compileGlob(pattern: string, label: string): NameMatcher {
  const isTurned = pattern.startsWith('!');
  const rest = isTurned ? pattern.slice(1) : pattern;
  if (rest === '') throw usage(`${label} is empty`, `Quote a pattern for the shell: ${label} 'train-*'`);
  const all = alternatives(rest, label).map((each) => tokensOf(each));
  return (name) => {
    const characters = Array.from(name);
    return all.some((tokens) => matches(tokens, characters)) !== isTurned;
  };
}

/** Expands `{a,b}`, inner braces first. Braces without a comma, or without an end, are characters. */
export function alternatives(pattern: string, label: string): readonly string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [whole, before = '', inner = '', after = ''] =
      /^((?:\\.|[^\\])*?)\{([^{}]*,[^{}]*)\}(.*)$/su.exec(next) ?? [];
    if (whole === undefined) done.push(next);
    else open.push(...inner.split(',').map((each) => before + each + after));
    if (done.length + open.length > MAX_ALTERNATIVES)
      throw usage(`${label} has more than ${MAX_ALTERNATIVES} alternatives`, 'Write a shorter pattern.');
  }
  return done;
}

/** Returns the parts of a pattern without braces. With `inPath`, wildcards for one character match no slash. */
export function tokensOf(pattern: string, inPath = false): readonly Token[] {
  const isOne = (character: string): boolean => !inPath || character !== '/';
  const parts = pattern.matchAll(/\\(.)|\*+|\?|\[([!^]?)(\]?[^\]]+|\])\]|./gsu);
  return [...parts].map(([part, escaped, not, set]): Token => {
    if (part.startsWith('*')) return 'star';
    if (part === '?') return (character) => isOne(character);
    if (set !== undefined) return (character) => isOne(character) && isInSet(set, character) === (not === '');
    const wanted = escaped ?? part;
    return (character) => character === wanted;
  });
}

const isInSet = (set: string, character: string): boolean =>
  [...set.matchAll(/(.)-(.)|./gsu)].some(([one, from, to]) =>
    from === undefined || to === undefined ? one === character : from <= character && character <= to,
  );

/** After a mismatch, the last star takes one more character; an earlier star never has to. */
function matches(tokens: readonly Token[], characters: readonly string[]): boolean {
  let [at, token] = [0, 0];
  let [starAt, starToken] = [0, -1];
  while (at < characters.length) {
    const test = tokens[token];
    if (test === 'star') [starAt, starToken, token] = [at, token, token + 1];
    else if (test?.(characters[at] ?? '') === true) [at, token] = [at + 1, token + 1];
    else if (starToken >= 0) [at, starAt, token] = [starAt + 1, starAt + 1, starToken + 1];
    else return false;
  }
  return tokens.slice(token).every((left) => left === 'star');
}
