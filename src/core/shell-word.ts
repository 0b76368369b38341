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
  const printed = Array.from(word, (character) => (/[\w @+=:,./]/.test(character) ? character : octal(character)));
  return `"$(printf '${printed.join('')}')"`;
}

/**
 * Words as one line that bash, zsh and ksh split into the same words. A word with control characters is written as $'...',
 * which keeps line feeds at the end: the line stays one line and is safe to show.
 */
export const shellLine = (words: readonly string[]): string => lineWords(words).join(' ');

/** The same on lines of at most `columns` characters, each continued by a backslash; a longer word has a line of its own. */
export function shellLines(words: readonly string[], columns: number): string {
  const lines: string[] = [];
  for (const word of lineWords(words)) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && longer.length <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join(' \\\n');
}

const lineWords = (words: readonly string[]): readonly string[] =>
  words.map((word, at) => (PLAIN.test(word) && !(at === 0 && word.includes('=')) ? word : quoted(word)));

function quoted(word: string): string {
  if (safeText(word) === word) return `'${word.replaceAll("'", `'\\''`)}'`;
  const escaped = Array.from(word, (character) => {
    if (character === "'" || character === '\\') return `\\${character}`;
    if (character === '\n') return '\\n';
    return safeText(character) === character ? character : octal(character);
  });
  return `$'${escaped.join('')}'`;
}

/** The bytes of a character in UTF-8, which every shell writes as they are: `\012`. */
const octal = (character: string): string =>
  Array.from(new TextEncoder().encode(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
