import { safeText, type SafeText } from '../core/safe-text.ts';

/** A word quoted for a POSIX shell, if it needs quotes. */
export const shellWord = (word: string): string => (word.startsWith('-') ? quoted(word) : quotedIfNeeded(word));

/**
 * Words as one line that a shell (bash, zsh, ksh) splits into the same words. A word with control characters is written as
 * $'...', so that the line stays one line and is safe to show.
 */
export const shellLine = (words: readonly string[]): string =>
  words.map((word, at) => (at === 0 && /^\w+=/.test(word) ? quoted(word) : quotedIfNeeded(word))).join(' ');

const quotedIfNeeded = (word: string): string => (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : quoted(word));

function quoted(word: string): string {
  if (safeText(word) === word) return `'${word.replaceAll("'", `'\\''`)}'`;
  const escaped = Array.from(word, (character) =>
    character === "'" || character === '\\'
      ? `\\${character}`
      : safeText(character) === character
        ? character
        : octal(character),
  );
  return `$'${escaped.join('')}'`;
}

/** The bytes of a character in UTF-8, which every shell writes as they are: `\012`. */
const octal = (character: string): string =>
  character === '\n'
    ? '\\n'
    : Array.from(Buffer.from(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

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
