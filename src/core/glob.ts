import { usage } from './failure.ts';

/** Whether a whole name matches a pattern. */
export type NameMatcher = (name: string) => boolean;

/**
 * Compiles patterns of a shell for names: `*` is any text, `?` one character, `[ab]` one of these, `{a,b}` either, and
 * `!` at the beginning turns a pattern around. A name matches when one of the patterns does. A name is no path: `*`
 * matches a slash and a leading dot too. `label` names the flag. Fails with usage (2) for an empty pattern.
 */
export async function compileGlobs(patterns: readonly string[], label: string): Promise<NameMatcher> {
  if (patterns.some((pattern) => pattern === '' || pattern === '!'))
    throw usage(`${label} is empty`, `Quote a pattern for the shell: ${label} 'train-*'`);
  const { default: picomatch } = await import('picomatch/posix');
  return picomatch([...patterns], { bash: true, dot: true, strictSlashes: true, flags: 's' });
}
