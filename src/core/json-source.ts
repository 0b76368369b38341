/**
 * Parts of a JSON document as source text, exactly as written: members named twice, numbers that no double holds,
 * nesting of any depth. One pass over the tokens, without recursion.
 */
import { createScanner } from 'jsonc-parser';

/**
 * Calls `visit` with the start and end (exclusive) of every token except white space, until it returns false. A comment
 * is a token too, although JSON has none. Returns true when every token was visited. It takes a callback because a
 * generator is slower, and batches scan every line of their input.
 */
export function forEachToken(source: string, visit: (start: number, end: number) => boolean): boolean {
  const scanner = createScanner(source, false);
  scanner.setPosition(source.startsWith('\uFEFF') ? 1 : 0);
  for (;;) {
    scanner.scan();
    const start = scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    if (end === start) return true;
    if (!' \t\r\n'.includes(source.charAt(start)) && !visit(start, end)) return false;
  }
}

/**
 * Returns the source of a top-level member's value, or undefined when the document has no such member. When a member
 * is named twice, the last one is used.
 */
export function memberSource(source: string, name: string): string | undefined {
  let found: string | undefined;
  forEachChild(source, (start, end, quoted) => {
    if (quoted !== undefined && JSON.parse(quoted) === name) found = source.slice(start, end);
  });
  return found;
}

/** Returns the source of each item of a top-level array. */
export function itemSources(source: string): readonly string[] {
  const items: string[] = [];
  forEachChild(source, (start, end) => items.push(source.slice(start, end)));
  return items;
}

/** Calls `visit` for each value one level down. `name` is a member's name with its quotes; undefined for an item. */
function forEachChild(source: string, visit: (start: number, end: number, name: string | undefined) => void): void {
  let depth = 0;
  let name: string | undefined;
  let valueStart = -1;
  let valueEnd = -1;
  let tokenEnd = -1;
  forEachToken(source, (start, end) => {
    const mark = source.charAt(start);
    const closes = mark === '}' || mark === ']';
    if (depth === 1 && (mark === ',' || closes)) {
      if (valueStart >= 0) visit(valueStart, tokenEnd, name);
      name = undefined;
      valueStart = -1;
    } else if (depth === 1 && mark === ':' && valueStart >= 0) {
      name = source.slice(valueStart, valueEnd);
      valueStart = -1;
    } else if (depth >= 1 && valueStart < 0) {
      valueStart = start;
      valueEnd = end;
    }
    if (closes) depth--;
    else if (mark === '{' || mark === '[') depth++;
    tokenEnd = end;
    return true;
  });
}
