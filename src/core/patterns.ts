import { usage } from './failure.ts';

type NameMatcher = (name: string) => boolean;

/** `*` also matches a slash and a leading dot; `!` turns a pattern around. Usage (2) for an empty or wrong one. */
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

const PARTS = /\\(.)|(?<![^/])\*\*\/|\*+|\?|\[([!^]?)(\]?[^\]]+)\]|./gsu;

function expressionOf(pattern: string, inPath: boolean): RegExp {
  const expressions = alternatives(pattern).map((each) =>
    each.replace(PARTS, (part: string, escaped?: string, not?: string, set?: string) => {
      if (part === '**/' && inPath) return '(?:.*/)?';
      if (part.startsWith('*')) return inPath && part === '*' ? '[^/]*' : '.*';
      if (part === '?') return inPath ? '[^/]' : '.';
      if (set === undefined) return literal(escaped ?? part);
      return `${inPath ? '(?!/)' : ''}[${not === '' ? '' : '^'}${set.replace(/[\\\]^[]/gu, '\\$&')}]`;
    }),
  );
  try {
    return new RegExp(`^(?:${expressions.join('|')})$`, 'su');
  } catch {
    throw usage(`invalid pattern ${JSON.stringify(pattern)}`, 'Write a range from low to high, such as [a-z].');
  }
}

/** The patterns that one with `{a,b}` stands for. */
function alternatives(pattern: string): readonly string[] {
  const [, before = '', choices, after = ''] = /^(.*?(?<!\\))\{([^{}]*,[^{}]*)\}(.*)$/su.exec(pattern) ?? [];
  return choices?.split(',').flatMap((each) => alternatives(before + each + after)) ?? [pattern];
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
