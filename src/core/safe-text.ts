/** Can mislead a terminal or a reader: controls, and characters that reorder, hide or break text. */
const HARMFUL =
  // oxlint-disable-next-line no-control-regex -- naming the controls is the point
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

declare const shown: unique symbol;
declare const safe: unique symbol;
declare const exact: unique symbol;

/** Text that may be written to a terminal unchanged: safe text plus berth's own colours and cursor movements. */
export type TerminalText = string & { readonly [shown]: true };

/** Text without characters that can mislead a terminal or a reader. Only `safeText` and `say` return it. */
export type SafeText = TerminalText & { readonly [safe]: true };

/** Exact data in a machine-readable format. Its writer has handled characters that must not reach a terminal. */
export type DataText = string & { readonly [exact]: true };

/** Harmful characters become visible escapes (`\u202e`). `multiline` keeps line feeds and tabs. Idempotent. */
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

/** Template tag for messages: each value is made safe and put on one line; literal parts are unchanged. */
export const say = (literals: TemplateStringsArray, ...values: readonly (string | number)[]): SafeText =>
  literals.reduce((text, literal, at) => text + safeText(String(values[at - 1])) + literal) as SafeText;
