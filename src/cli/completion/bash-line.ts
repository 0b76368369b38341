/** For bash, which gives a completion function the line as it was typed. */

type Quote = '' | '"' | "'";

interface LastWord {
  readonly quote: Quote;
  /** The part that bash does not replace: everything before the last word break, without quotes. */
  readonly kept: string;
}

/** `breaks` is COMP_WORDBREAKS: bash replaces only what follows the last unquoted one (and `@`, `$` itself). */
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

/** What bash must insert in place of the text after the last word break. */
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
