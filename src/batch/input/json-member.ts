import { createScanner } from 'jsonc-parser';

/**
 * The text of one member of a JSON object, exactly as it stands in the source, which must be JSON; of a member named
 * twice the last counts. Undefined where there is none. Walks tokens, so that depth is no trouble.
 */
export function memberSource(source: string, name: string): string | undefined {
  const scanner = createScanner(source, true);
  let found: string | undefined;
  let depth = 0;
  let text: string | undefined;
  let key: string | undefined;
  let from: number | undefined;
  let to = 0;
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const start = scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    const mark = end - start === 1 ? source.charAt(start) : '';
    const closes = mark === '}' || mark === ']';
    if (depth === 1 && (mark === ',' || closes)) {
      if (key === name && from !== undefined) found = source.slice(from, to);
      key = from = undefined;
    } else if (depth === 1 && mark === ':') key = text === undefined ? undefined : (JSON.parse(text) as string);
    else if (depth >= 1 && key !== undefined) from ??= start;
    else if (depth === 1) text = source.slice(start, end);
    if (closes) depth -= 1;
    else if (mark === '{' || mark === '[') depth += 1;
    to = end;
  }
  return found;
}
