import { JsonTokens } from '../../core/json/json-source.ts';

/** Levels that are indented. Deeper ones stay on one line, or the indentation would outgrow the text. */
const MAX_INDENTED_DEPTH = 64;

/** The number of pieces that are joined to one part of the text. */
const MAX_PIECES = 8192;

/** White space between tokens. */
interface Spacing {
  /** Before a value and before a closing bracket, by depth; nothing at greater depths. */
  readonly lines: readonly string[];
  /** A comma and what follows it, by depth. */
  readonly commas: readonly string[];
  readonly colon: string;
}

const LINES = Array.from({ length: MAX_INDENTED_DEPTH + 1 }, (_, depth) => `\n${'  '.repeat(depth)}`);
const INDENTED: Spacing = { lines: LINES, commas: LINES.map((line) => `,${line}`), colon: ': ' };
const COMPACT: Spacing = { lines: [], commas: [], colon: ':' };

/**
 * Indents a JSON document by two spaces a level. Names, numbers and strings stay as written. The source is one that
 * `decodeJson` accepts. Yields the text in parts, so that a long document is not in memory twice.
 */
export const indentJson = (source: string): Generator<string> => layOut(source, INDENTED);

/** Writes a JSON document on one line. The source is one that `decodeJson` accepts. */
export const compactJson = (source: string): string => [...layOut(source, COMPACT)].join('');

const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** Copies the tokens of a document with new white space between them. */
function* layOut(source: string, { lines, commas, colon }: Spacing): Generator<string> {
  const tokens = new JsonTokens(source);
  let pieces: string[] = [];
  let depth = 0;
  // Whether the present object or array has no value yet.
  let isEmpty = true;
  while (tokens.next()) {
    const { code } = tokens;
    if (code === COMMA) pieces.push(commas[depth] ?? ',');
    else if (code === COLON) pieces.push(colon);
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth--;
      if (!isEmpty) pieces.push(lines[depth] ?? '');
      pieces.push(code === CLOSE_OBJECT ? '}' : ']');
      isEmpty = false;
    } else {
      if (isEmpty && depth > 0) pieces.push(lines[depth] ?? '');
      isEmpty = code === OPEN_OBJECT || code === OPEN_ARRAY;
      if (isEmpty) depth++;
      pieces.push(source.slice(tokens.start, tokens.end));
    }
    if (pieces.length < MAX_PIECES) continue;
    yield pieces.join('');
    pieces = [];
  }
  if (pieces.length > 0) yield pieces.join('');
}
