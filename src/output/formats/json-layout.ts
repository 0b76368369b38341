import { forEachToken } from '../../core/json-source.ts';

/** Levels that are indented. Deeper ones stay on one line, or the indentation would outgrow the text. */
const MAX_INDENTED_DEPTH = 64;

/** Indents a JSON document by two spaces a level. Returns undefined when the text is not made of JSON tokens. */
export function indentJson(source: string): string | undefined {
  return layOut(source, (depth) => (depth > MAX_INDENTED_DEPTH ? '' : `\n${'  '.repeat(depth)}`), ': ');
}

/** Writes a JSON document on one line. Returns undefined when the text is not made of JSON tokens. */
export function compactJson(source: string): string | undefined {
  return layOut(source, () => '', ':');
}

/** Copies the tokens of a document with new white space between them: names, numbers and strings stay as written. */
function layOut(source: string, newLine: (depth: number) => string, colon: string): string | undefined {
  const parts: string[] = [];
  let depth = 0;
  let empty = true;
  const startValue = (): void => {
    if (empty && depth > 0) parts.push(newLine(depth));
  };
  const complete = forEachToken(source, (start, end) => {
    const token = source.slice(start, end);
    switch (token) {
      case '{':
      case '[':
        startValue();
        parts.push(token);
        depth++;
        empty = true;
        break;
      case '}':
      case ']':
        if (--depth < 0) return false;
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
        if (!isScalar(token)) return false;
        startValue();
        parts.push(token);
        empty = false;
    }
    return true;
  });
  return complete && depth === 0 && parts.length > 0 ? parts.join('') : undefined;
}

const isScalar = (token: string): boolean =>
  token.startsWith('"')
    ? token.length > 1 && token.endsWith('"')
    : /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(token);
