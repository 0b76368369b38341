/** JSON source exactly as written, in one pass without recursion. Expects text that `decodeJson` accepts. */

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** The tokens of a JSON text, one at a time. A class, because a generator and its objects are several times slower. */
export class JsonTokens {
  code = 0;
  start = 0;
  end: number;
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
    this.end = source.startsWith('\uFEFF') ? 1 : 0;
  }

  next(): boolean {
    const source = this.#source;
    let at = this.end;
    while (at < source.length && source.charCodeAt(at) <= SPACE) at++;
    if (at >= source.length) return false;
    const code = source.charCodeAt(at);
    this.start = at;
    this.code = code;
    if (code === QUOTE) this.end = endOfString(source, at);
    else this.end = code === COMMA || code === COLON || isBracket(code) ? at + 1 : endOfWord(source, at);
    return true;
  }

  skipToClosing(): void {
    const source = this.#source;
    let depth = 1;
    let at = this.end;
    for (; depth > 0 && at < source.length; at++) {
      const code = source.charCodeAt(at);
      if (code === QUOTE) at = endOfString(source, at) - 1;
      else if (isOpening(code)) depth++;
      else if (isClosing(code)) depth--;
    }
    this.end = at;
  }
}

/** `[` and `{`, `]` and `}`: of both, the codes differ by one bit. */
const isOpening = (code: number): boolean => (code | 0x20) === 0x7b;
const isClosing = (code: number): boolean => (code | 0x20) === 0x7d;
const isBracket = (code: number): boolean => isOpening(code) || isClosing(code);

/** Returns the position after the closing quote of the string that starts at `start`, or the length of a text without one. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at + 1;
  }
  return text.length;
}

function endOfWord(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE || code === QUOTE || code === COMMA || code === COLON || isBracket(code)) return at;
  }
  return text.length;
}

/** Of a member named twice, the last one counts. */
export function memberSource(source: string, name: string): string | undefined {
  let found: string | undefined;
  forEachChild(source, (start, end, quoted) => {
    if (quoted !== undefined && JSON.parse(quoted) === name) found = source.slice(start, end);
  });
  return found;
}

export function itemSources(source: string): readonly string[] {
  const items: string[] = [];
  forEachChild(source, (start, end) => items.push(source.slice(start, end)));
  return items;
}

/** Calls `visit` for each value one level down. `name` is a member's name with its quotes; undefined for an item. */
function forEachChild(source: string, visit: (start: number, end: number, name: string | undefined) => void): void {
  const tokens = new JsonTokens(source);
  if (!tokens.next() || !isOpening(tokens.code)) return;
  let name: string | undefined;
  let valueStart = -1;
  let valueEnd = -1;
  while (tokens.next()) {
    if (tokens.code === COMMA || isClosing(tokens.code)) {
      if (valueStart >= 0) visit(valueStart, valueEnd, name);
      name = undefined;
      valueStart = -1;
    } else if (tokens.code === COLON) name = source.slice(valueStart, valueEnd);
    else {
      valueStart = tokens.start;
      if (isOpening(tokens.code)) tokens.skipToClosing();
      valueEnd = tokens.end;
    }
  }
}
