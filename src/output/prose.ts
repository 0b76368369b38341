import { textWidth } from './measure.ts';

/** What no terminal is narrower than, in columns: below it, breaking a text helps nobody. */
const NARROWEST = 20;

/**
 * Text for a person, each of its lines broken at spaces where it is wider than a terminal of so many columns; what
 * follows the first break is indented like the line, and by two more. Without columns the text as it is.
 */
export function prose(text: string, columns: number | undefined): string {
  if (columns === undefined || columns < NARROWEST) return text;
  return text
    .split('\n')
    .flatMap((line) => proseLine(line, columns))
    .join('\n');
}

function proseLine(line: string, columns: number): readonly string[] {
  if (line.length <= columns && /^[\x20-\x7e]*$/.test(line)) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  const further = `${indent}  `;
  const words = line.slice(indent.length).split(' ');
  const lines: string[] = [];
  let current = indent + (words.shift() ?? '');
  for (const word of words) {
    // A word wider than the terminal is an address or a path: whole, it can be copied.
    if (textWidth(`${current} ${word}`) <= columns) current += ` ${word}`;
    else {
      lines.push(current);
      current = further + word;
    }
  }
  return [...lines, current];
}
