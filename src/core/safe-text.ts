/**
 * What a terminal or a reader could be misled by: C0 and C1 controls, DEL, and the characters that reorder, hide or
 * break text (bidirectional controls, zero-width marks, line and paragraph separators, tags).
 */
const HARMFUL =
  // eslint-disable-next-line no-control-regex -- naming the controls is the point
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/gu;

declare const shown: unique symbol;
declare const safe: unique symbol;
declare const exact: unique symbol;

/** Text that may be written to a terminal as it is: safe text, with berth's own colours and cursor movements. */
export type TerminalText = string & { readonly [shown]: true };

/** Text without a character that could mislead a terminal or a reader. Only `safeText` and `say` make it. */
export type SafeText = TerminalText & { readonly [safe]: true };

/** Data in a format that a program reads, exact; what draws it has taken care of what may reach a terminal. */
export type DataText = string & { readonly [exact]: true };

/**
 * Makes any text safe for a terminal: every harmful character becomes a visible escape (`\x1b`, `\u202e`). With
 * `multiline`, line feeds and tabs stay, for logs and handler output. To clean a text twice changes nothing.
 */
export function safeText(text: string, multiline = false): SafeText {
  return text.replace(HARMFUL, (character) => {
    if (multiline && (character === '\n' || character === '\t')) return character;
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    if (character === '\r') return '\\r';
    const code = character.codePointAt(0) ?? 0;
    return code <= 0xff
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code > 0xffff ? `{${code.toString(16)}}` : code.toString(16).padStart(4, '0')}`;
  }) as SafeText;
}

/**
 * Template tag for what is said to a person: each value is made safe and one line, the literal parts stay as they are.
 */
export const say = (literals: TemplateStringsArray, ...values: readonly (string | number)[]): SafeText =>
  literals.reduce((text, literal, at) => text + safeText(String(values[at - 1])) + literal) as SafeText;
