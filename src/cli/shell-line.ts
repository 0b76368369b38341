import { safeText } from '../core/safe-text.ts';

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
