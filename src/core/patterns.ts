import { usage } from './failure.ts';
import { type Json, memberAt, stringAt, stringOf } from './json.ts';
import type { EpochMs, Milliseconds } from './unit-types.ts';

type NameMatcher = (name: string) => boolean;

type Token = 'star' | ((character: string) => boolean);

const MAX_ALTERNATIVES = 256;

/** `*` also matches a slash and a leading dot. Never exponential. Usage (2) if empty or over 256 forms. */
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
function alternatives(pattern: string, label: string): readonly string[] {
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
function tokensOf(pattern: string, inPath = false): readonly Token[] {
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

/** One part of a pattern for paths. `any`: any text. `folders`: no text, or any text that ends with a slash. */
type PathToken = Token | 'any' | 'folders';

/** As `compileGlobs`, but only `**` matches a slash. Usage (2) for more than 256 alternatives. */
export function compilePathGlob(pattern: string, label: string): NameMatcher {
  const all = alternatives(pattern, label).map(pathTokensOf);
  return (path) => {
    const characters = Array.from(path);
    return all.some((tokens) => matchesPath(tokens, characters));
  };
}

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

function reachable(tokens: readonly PathToken[], states: Iterable<number>): Set<number> {
  const all = new Set(states);
  for (const state of all) if (Number.isInteger(state) && typeof tokens[state] === 'string') all.add(state + 1);
  return all;
}

export const rangesOf = (numbers: Iterable<number>): string =>
  groupNumbers(numbers)
    .map(([from, to]) => (from === to ? String(from) : `${String(from)}-${String(to)}`))
    .join(', ');

export function groupNumbers(numbers: Iterable<number>): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

/** Which rows of a list are meant: by their names, statuses and ages. */

/** What a row must fit: every member that is given, and one of several values. Those that do not fit the resource are absent. */
export interface RowFilter {
  readonly match?: readonly string[] | undefined;
  readonly status?: readonly string[] | undefined;
  readonly olderThan?: Milliseconds | undefined;
  readonly newerThan?: Milliseconds | undefined;
}

/** A row of unknown age is neither older nor newer. Fails with usage (2) for an empty pattern. */
export function compileRowFilter(
  { match = [], status = [], olderThan, newerThan }: RowFilter,
  matchLabel: string,
  createdAt = 'createdAt',
): (row: Json, now: EpochMs) => boolean {
  const isMatch = match.length === 0 ? () => true : compileGlobs(match, matchLabel);
  return (row, now) => {
    const ageMs = now - Date.parse(stringAt(row, createdAt) ?? '');
    return (
      isMatch(stringAt(row, 'name') ?? '') &&
      isAmong(status, memberAt(row, 'status')) &&
      (olderThan === undefined || ageMs > olderThan) &&
      (newerThan === undefined || ageMs < newerThan)
    );
  };
}

export const isAmong = (wanted: readonly string[], value: Json | undefined): boolean =>
  wanted.length === 0 || wanted.some((each) => each.toLowerCase() === stringOf(value)?.toLowerCase());
