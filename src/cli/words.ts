import { safeText, type SafeText } from '../core/safe-text.ts';

/** A word as a POSIX shell takes it: quoted only where it must be. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) && !word.startsWith('-') ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/**
 * A command line that a message tells the reader to type, such as `berth jobs wait echo 'a b'`. It stays one line
 * whatever the words are, since an id may come from the service.
 */
export const commandLine = (...words: readonly string[]): SafeText =>
  safeText(['berth', ...words].map((word) => (word.startsWith('--') ? word : shellWord(word))).join(' '));

/** `jobs`, `registries`. */
export const pluralOf = (one: string): string => (/[^aeiou]y$/.test(one) ? `${one.slice(0, -1)}ies` : `${one}s`);

/** `1 job`, `3 jobs`. */
export const countOf = (count: number, one: string, many = pluralOf(one)): string =>
  `${String(count)} ${count === 1 ? one : many}`;
