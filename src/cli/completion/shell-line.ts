/**
 * The words of an unfinished POSIX command line, for bash, which gives a completion function the line as it was typed.
 */

/** How the last word is quoted at its end. */
type Quote = '' | '"' | "'";

/** The last word of a line, as bash sees it. */
export interface LastWord {
  readonly quote: Quote;
  /** The part of the word, without its quotes, that bash does not replace: everything before the last word break. */
  readonly kept: string;
}

/**
 * Splits a line into words without their quotes; the last word is the unfinished one, empty after a space. `breaks` is
 * bash's COMP_WORDBREAKS: bash replaces only what follows the last of these characters, when it is not quoted; for `@`
 * and `$`, it also replaces the character itself.
 */
export function splitLine(
  line: string,
  breaks: string,
): { readonly words: readonly string[]; readonly last: LastWord } {
  const words: string[] = [];
  let word = '';
  let started = false;
  let quote: Quote = '';
  let kept = '';
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    const next = line.charAt(at + 1);
    if (quote === "'") {
      if (character === "'") quote = '';
      else word += character;
    } else if (character === '\\' && next !== '' && (quote === '' || '"\\$`'.includes(next))) {
      word += next;
      at++;
      started = true;
    } else if (quote === '"') {
      if (character === '"') quote = '';
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      started = true;
    } else if (/\s/.test(character)) {
      if (started) words.push(word);
      [word, kept, started] = ['', '', false];
    } else {
      const start = word;
      word += character;
      started = true;
      if (breaks.includes(character)) kept = '@$'.includes(character) ? start : word;
    }
  }
  // Bash ignores break characters inside quotes, so `kept` ends before an open quote.
  return { words: [...words, word], last: { quote, kept } };
}

/** The text that bash has to insert for a value, instead of the text after the last word break. */
export function quotedForBash(value: string, { quote, kept }: LastWord): string {
  const rest = value.slice(kept.length);
  switch (quote) {
    case "'":
      return rest.replaceAll("'", `'\\''`);
    case '"':
      return rest.replace(/["\\$`]/g, '\\$&');
    case '':
      return rest.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
  }
}
