/** JSON source exactly as written, in one pass without recursion. Expects text that `decodeJson` accepts. */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;

/** `[` and `{`, `]` and `}`: of both, the codes differ by one bit. */
const isOpening = (code: number): boolean => (code | 0x20) === 0x7b;
const isClosing = (code: number): boolean => (code | 0x20) === 0x7d;

/** Returns the position after the closing quote of the string that starts at `start`, or the length of a text without one. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at + 1;
  }
  return text.length;
}

/** Of a member named twice, the last one counts. */
export function memberSource(source: string, name: string): string | undefined {
  let found: string | undefined;
  let member: unknown;
  let depth = 0;
  let start = 0;
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === QUOTE) at = endOfString(source, at) - 1;
    else if (isOpening(code)) {
      if (depth === 0 && code === OPEN_ARRAY) return undefined;
      if (++depth === 1) start = at + 1;
    } else if (depth === 1 && code === COLON) {
      member = JSON.parse(source.slice(start, at));
      start = at + 1;
    } else if (depth === 1 && (code === COMMA || isClosing(code))) {
      if (member === name) found = source.slice(start, at).trim();
      member = undefined;
      start = at + 1;
    }
    if (isClosing(code)) depth--;
  }
  return found;
}
