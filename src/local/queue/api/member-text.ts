/**
 * The text of one member of a JSON object, exactly as in the source. The source must be valid JSON, an object with that
 * member; when the member occurs twice, the last one is used.
 */
export function memberText(source: string, name: string): string {
  let found = '';
  let depth = 0;
  let key = '';
  let from = -1;
  for (let at = 0; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === '"') {
      const end = endOfString(source, at);
      if (depth === 1 && from < 0) key = JSON.parse(source.slice(at, end)) as string;
      at = end - 1;
    } else if (character === ':' && depth === 1) from = at + 1;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']' || (character === ',' && depth === 1)) {
      if (depth === 1 && key === name && from >= 0) found = source.slice(from, at).trim();
      if (depth === 1) from = -1;
      if (character !== ',') depth -= 1;
    }
  }
  return found;
}

/** Just past the closing quote of the string that opens at `start`. */
function endOfString(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source[at] !== '"') at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}
