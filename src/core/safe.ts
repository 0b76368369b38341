/**
 * What a terminal or a reader could be misled by: C0 and C1 controls, DEL, and the characters that reorder, hide or
 * break text (bidirectional controls, zero-width marks, line and paragraph separators, tags).
 */
const HARMFUL =
  // eslint-disable-next-line no-control-regex -- naming the controls is the point
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/gu;

/**
 * Text from the service, made harmless for a terminal: every harmful character becomes a visible escape (`\x1b`,
 * `\u202e`). With `multiline`, line feeds and tabs stay, for logs and handler output.
 */
export function safeText(text: string, multiline = false): string {
  return text.replace(HARMFUL, (character) => {
    if (multiline && (character === '\n' || character === '\t')) return character;
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    if (character === '\r') return '\\r';
    const code = character.codePointAt(0) ?? 0;
    return code <= 0xff
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code > 0xffff ? `{${code.toString(16)}}` : code.toString(16).padStart(4, '0')}`;
  });
}
