/** Characters that text output must not contain: control characters, and characters that reorder, hide or break text. */
const CONTROLS = ['\u001b[2J', '\u001b]52;c;ZXZpbA==\u0007', '\u009b31m', '\u0085', '\r', '\u0008', '\u202e', '\u2066'];
export const HOSTILE = `${CONTROLS.join('x')}\u200b\u2028\u007f\u{e0041}\nFORGED`;

/** Matches one of them in the output. Line feeds and tabs are allowed. */
export const HARMFUL =
  // oxlint-disable-next-line no-control-regex -- the pattern matches control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

/** Removes the control sequences that berth itself writes to a terminal: colours, cursor, erase. */
export const withoutOwnControls = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- the pattern matches control characters
  text.replace(/\u001b\[(?:[0-9;]*m|\?\d+[hl]|\d*[AGKJ])/g, '').replaceAll(/\r(?=$|\u001b|\n)/g, '');

/** Appends hostile text to every string of a JSON value, and adds a hostile copy of every member name. */
export function hostile(value: unknown): unknown {
  if (typeof value === 'string') return `${value}${HOSTILE}`;
  if (Array.isArray(value)) return value.map(hostile);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => [
    [name, hostile(inner)],
    [`${name}${HOSTILE}`, hostile(inner)],
  ]);
  return Object.fromEntries(members);
}
