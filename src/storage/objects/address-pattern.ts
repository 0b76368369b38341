import { compilePathGlob } from '../../core/patterns.ts';

export interface AddressPattern {
  readonly prefix: string;
  readonly matches: (address: string) => boolean;
}

/** Returns the prefix and the test of a glob; a text without wildcards is a prefix. Fails with usage (2) as globs do. */
export function parsePattern(pattern: string): AddressPattern {
  const wildcard = pattern.search(WILDCARD);
  if (wildcard < 0) return { prefix: pattern, matches: (address) => address.startsWith(pattern) };
  return { prefix: pattern.slice(0, wildcard), matches: compilePathGlob(pattern, `the pattern ${pattern}`) };
}

/** A backslash counts too: it takes the next character as it is. */
const WILDCARD = /[*?[{\\]/;
