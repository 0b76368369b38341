import { usage } from './failure.ts';

type NameMatcher = (name: string) => boolean;

/** `*` also matches a slash and a leading dot; `!` turns a pattern around. Usage (2) if one is empty. */
export function compileGlobs(patterns: readonly string[], label: string): NameMatcher {
  const matchers = patterns.map((pattern) => {
    const isTurned = pattern.startsWith('!');
    const rest = isTurned ? pattern.slice(1) : pattern;
    if (rest === '') throw usage(`${label} is empty`, `Quote a pattern for the shell: ${label} 'train-*'`);
    const expression = expressionOf(rest, false);
    return (name: string) => expression.test(name) !== isTurned;
  });
  return (name) => matchers.some((matches) => matches(name));
}

/** As `compileGlobs` without `!`, but only `**` matches a slash. */
export function compilePathGlob(pattern: string): NameMatcher {
  const expression = expressionOf(pattern, true);
  return (path) => expression.test(path);
}

/** Innermost first. Braces without a comma, or without an end, are characters. */
const BRACES = /(?<!\\)\{([^{}]*,[^{}]*)\}/su;

/** `\uE000`, `\uE001` and `\uE002` stand for the braces and commas of `{a,b}`. */
const PARTS = /\\(.)|(?<![^/\uE000\uE001])\*\*\/|\*+|\?|[\uE000-\uE002]|\[([!^]?)(\]?[^\]]+|\])\]|./gsu;

function expressionOf(pattern: string, inPath: boolean): RegExp {
  let text = pattern;
  while (BRACES.test(text))
    text = text.replace(BRACES, (_, inner: string) => `\uE000${inner.replaceAll(',', '\uE001')}\uE002`);
  const source = text.replace(PARTS, (part: string, escaped?: string, not?: string, set?: string) => {
    if (part === '\uE000') return '(?:';
    if (part === '\uE001') return '|';
    if (part === '\uE002') return ')';
    if (part === '**/') return inPath ? '(?:.*/)?' : '.*/';
    if (part.startsWith('*')) return inPath && part === '*' ? '[^/]*' : '.*';
    if (part === '?') return inPath ? '[^/]' : '.';
    if (set === undefined) return literal(escaped ?? part);
    return `${inPath ? '(?!/)' : ''}${not === '' ? `(?=${setOf(set)})` : `(?!${setOf(set)})`}.`;
  });
  return new RegExp(`^(?:${source})$`, 'su');
}

const setOf = (set: string): string =>
  [...set.matchAll(/(.)-(.)|./gsu)]
    .map(([one, from, to]) => {
      if (from === undefined || to === undefined) return literal(one);
      return from <= to ? `[${inClass(from)}-${inClass(to)}]` : '(?!)';
    })
    .join('|');

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
const inClass = (character: string): string => character.replace(/[\\\]^[-]/u, '\\$&');
