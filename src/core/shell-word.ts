import { safeText } from './safe-text.ts';

/** What no shell reads as anything but itself, anywhere in a command line. What ends a sentence needs quotes at the end. */
const PLAIN = /^[\w@%+,./-][\w@%+=:,./-]*$/;
const ENDS_A_SENTENCE = /(?<!\.\.)[.,:;]$/;

/**
 * Quotes a word for sh, bash, zsh and fish, if it needs quotes. The text is safe on a terminal: a word with control
 * characters is written as the `printf` that prints it, of which a shell drops line feeds at the end.
 */
export function shellWord(word: string): string {
  if (PLAIN.test(word) && !ENDS_A_SENTENCE.test(word)) return word;
  // fish reads a backslash between single quotes, the other shells do not; outside of them all do.
  if (safeText(word) === word) return `'${word.replace(/['\\]/g, `'\\$&'`)}'`;
  const bytes = Array.from(new TextEncoder().encode(word), (byte) => {
    const character = String.fromCharCode(byte);
    return /[\w @+=:,./]/.test(character) ? character : `\\${byte.toString(8).padStart(3, '0')}`;
  });
  return `"$(printf '${bytes.join('')}')"`;
}
