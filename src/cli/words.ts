import { safeText, type SafeText } from '../core/safe-text.ts';

/** A word quoted for a POSIX shell, if it needs quotes. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) && !word.startsWith('-') ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/**
 * A command line for messages and hints, such as `berth jobs wait echo 'a b'`. Control characters in the words are
 * escaped, because an id may come from the service.
 */
export const commandLine = (...words: readonly string[]): SafeText =>
  safeText(['berth', ...words].map((word) => (word.startsWith('--') ? word : shellWord(word))).join(' '));

/** The plural of a noun: `jobs`, `registries`. */
export const pluralOf = (one: string): string => (/[^aeiou]y$/.test(one) ? `${one.slice(0, -1)}ies` : `${one}s`);

/** A count with its noun: `1 job`, `3 jobs`. */
export const countOf = (count: number, one: string, many = pluralOf(one)): string =>
  `${count} ${count === 1 ? one : many}`;
