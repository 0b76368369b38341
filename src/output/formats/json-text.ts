/**
 * JSON as text: laid out anew token by token, so that what the service said is what is printed - members named twice,
 * numbers no double holds, nesting of any depth. One pass, and never recursive.
 */
import { createScanner } from 'jsonc-parser';

/** Levels that take lines of their own; what lies deeper stands on one line, or the margins would outgrow the text. */
const DEEPEST_LINE = 64;

/** One token as it stands in its text, from `start` up to, not including, `end`. */
interface Token {
  readonly start: number;
  readonly end: number;
}

/** Lays a document out with two spaces a level. Undefined where the text is not made of JSON's tokens. */
export function indentJson(text: string): string | undefined {
  return layOut(text, (depth) => (depth > DEEPEST_LINE ? '' : `\n${'  '.repeat(depth)}`), ': ');
}

/** The same document on one line. Undefined where the text is not made of JSON's tokens. */
export function compactJson(text: string): string | undefined {
  return layOut(text, () => '', ':');
}

function layOut(text: string, newLine: (depth: number) => string, colon: string): string | undefined {
  const parts: string[] = [];
  let depth = 0;
  let empty = true;
  for (const { start, end } of tokens(text)) {
    const token = text.slice(start, end);
    switch (token) {
      case '{':
      case '[':
        if (empty && depth > 0) parts.push(newLine(depth));
        parts.push(token);
        depth++;
        empty = true;
        break;
      case '}':
      case ']':
        if (--depth < 0) return undefined;
        if (!empty) parts.push(newLine(depth));
        parts.push(token);
        empty = false;
        break;
      case ',':
        parts.push(',', newLine(depth));
        break;
      case ':':
        parts.push(colon);
        break;
      default:
        if (!isValue(token)) return undefined;
        if (empty && depth > 0) parts.push(newLine(depth));
        parts.push(token);
        empty = false;
    }
  }
  return depth === 0 && parts.length > 0 ? parts.join('') : undefined;
}

/** The text of a top-level member's value; of a member named twice the last counts. Undefined where there is none. */
export function memberText(text: string, member: string): string | undefined {
  let found: string | undefined;
  for (const { name, start, end } of children(text))
    if (name !== undefined && JSON.parse(name) === member) found = text.slice(start, end);
  return found;
}

/** The texts of the items of a top-level array. */
export const itemTexts = (text: string): readonly string[] =>
  [...children(text)].map(({ start, end }) => text.slice(start, end));

/** The values one level down, with their names where they have one (in quotes, as they stand). */
function* children(text: string): Generator<Token & { readonly name: string | undefined }> {
  let depth = 0;
  let name: string | undefined;
  let previous: Token | undefined;
  let first: Token | undefined;
  for (const token of tokens(text)) {
    const mark = text.slice(token.start, Math.min(token.end, token.start + 1));
    const closes = mark === '}' || mark === ']';
    if (depth === 1 && (mark === ',' || closes)) {
      if (first !== undefined && previous !== undefined) yield { name, start: first.start, end: previous.end };
      first = name = undefined;
    } else if (depth === 1 && mark === ':' && first !== undefined) {
      name = text.slice(first.start, first.end);
      first = undefined;
    } else if (depth >= 1) first ??= token;
    if (closes) depth--;
    else if (mark === '{' || mark === '[') depth++;
    previous = token;
  }
}

/** All tokens but white space, as they stand in the text; a comment is one, and no part of JSON. */
function* tokens(text: string): Generator<Token> {
  const scanner = createScanner(text, false);
  scanner.setPosition(text.startsWith('\uFEFF') ? 1 : 0);
  for (;;) {
    scanner.scan();
    const start = scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    if (end === start) return;
    if (!' \t\r\n'.includes(text.charAt(start))) yield { start, end };
  }
}

const isValue = (token: string): boolean =>
  token.startsWith('"')
    ? token.length > 1 && token.endsWith('"')
    : /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(token);
