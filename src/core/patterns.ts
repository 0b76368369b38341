import { usage } from './failure.ts';

type NameMatcher = (name: string) => boolean;

const MAX_ALTERNATIVES = 256;

/** `*` also matches a slash and a leading dot; `!` turns a pattern around. Usage (2) if empty or over 256 forms. */
export function compileGlobs(patterns: readonly string[], label: string): NameMatcher {
  const matchers = patterns.map((pattern) => {
    const isTurned = pattern.startsWith('!');
    const rest = isTurned ? pattern.slice(1) : pattern;
    if (rest === '') throw usage(`${label} is empty`, `Quote a pattern for the shell: ${label} 'train-*'`);
    const expression = expressionOf(rest, label, false);
    return (name: string) => expression.test(name) !== isTurned;
  });
  return (name) => matchers.some((matches) => matches(name));
}

/** As `compileGlobs` without `!`, but only `**` matches a slash. Usage (2) for more than 256 alternatives. */
export function compilePathGlob(pattern: string, label: string): NameMatcher {
  const expression = expressionOf(pattern, label, true);
  return (path) => expression.test(path);
}

function expressionOf(pattern: string, label: string, inPath: boolean): RegExp {
  const sources = alternatives(pattern, label).map((each) => sourceOf(each, inPath));
  return new RegExp(`^(?:${sources.join('|')})$`, 'su');
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

const PARTS = /\\(.)|(?<![^/])\*\*\/|\*+|\?|\[([!^]?)(\]?[^\]]+|\])\]|./gsu;

const sourceOf = (pattern: string, inPath: boolean): string =>
  pattern.replace(PARTS, (part: string, escaped?: string, not?: string, set?: string) => {
    if (part === '**/') return inPath ? '(?:.*/)?' : '.*/';
    if (part.startsWith('*')) return inPath && part === '*' ? '[^/]*' : '.*';
    if (part === '?') return inPath ? '[^/]' : '.';
    if (set === undefined) return literal(escaped ?? part);
    return `${inPath ? '(?!/)' : ''}${not === '' ? `(?=${setOf(set)})` : `(?!${setOf(set)})`}.`;
  });

const setOf = (set: string): string =>
  [...set.matchAll(/(.)-(.)|./gsu)]
    .map(([one, from, to]) => {
      if (from === undefined || to === undefined) return literal(one);
      return from <= to ? `[${inClass(from)}-${inClass(to)}]` : '(?!)';
    })
    .join('|');

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
const inClass = (character: string): string => character.replace(/[\\\]^[-]/u, '\\$&');

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
