/** Characters that no output for a person may hold: controls, and what reorders, hides or breaks text. */
const CONTROLS = ['\u001b[2J', '\u001b]52;c;ZXZpbA==\u0007', '\u009b31m', '\u0085', '\r', '\u0008', '\u202e', '\u2066'];
export const HOSTILE = `${CONTROLS.join('x')}\u200b\u2028\u007f\u{e0041}\nFORGED`;

/** What finds one of them in what was printed. Line feeds and tabs are layout. */
export const HARMFUL =
  // eslint-disable-next-line no-control-regex -- naming the controls is the point
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

/** Printed text without the control sequences that berth itself writes to a terminal: colours, cursor, erase. */
export const withoutOwnControls = (text: string): string =>
  // eslint-disable-next-line no-control-regex -- naming the controls is the point
  text.replace(/\u001b\[(?:[0-9;]*m|\?\d+[hl]|\d*[AGKJ])/g, '').replaceAll(/\r(?=$|\u001b|\n)/g, '');

/** A JSON value with something hostile behind every string, and behind every member's name beside the name itself. */
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
