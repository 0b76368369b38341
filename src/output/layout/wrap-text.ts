import { safeText, type SafeText } from '../../core/safe-text.ts';
import { textWidth } from './text-width.ts';

/** What no terminal is narrower than, in columns: below it, breaking a text helps nobody. */
const NARROWEST = 20;

/**
 * Text for a person, each of its lines broken at spaces where it is wider than a terminal of so many columns; what
 * follows the first break is indented like the line, and by two more. A command line that the text ends a phrase with
 * (`...: berth doctor`) is never broken: it is there to be copied. Without columns the text as it is.
 */
export function prose(text: SafeText, columns: number | undefined): SafeText {
  if (columns === undefined || columns < NARROWEST) return text;
  const lines = text.split('\n').flatMap((line) => proseLine(line, columns));
  return safeText(lines.join('\n'), true);
}

function proseLine(line: string, columns: number): readonly string[] {
  if (line.length <= columns && /^[\x20-\x7e]*$/.test(line)) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  const further = `${indent}  `;
  const words = commandsWhole(line.slice(indent.length).split(' '));
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

/** What a command line in a text begins with. */
const COMMANDS = /^(berth|awk)$/;

/** The words of a line, those of a command line together: from its first behind a colon to the end of the sentence. */
function commandsWhole(words: readonly string[]): string[] {
  const whole: string[] = [];
  let command: string | undefined;
  for (const [at, word] of words.entries()) {
    if (command !== undefined) command += ` ${word}`;
    else if (COMMANDS.test(word) && words[at - 1]?.endsWith(':') === true) command = word;
    else whole.push(word);
    if (command !== undefined && at < words.length - 1 && endsSentence(command)) {
      whole.push(command);
      command = undefined;
    }
  }
  return command === undefined ? whole : [...whole, command];
}

/** A mark at the end, which no quoted word goes on behind. */
const endsSentence = (command: string): boolean => /[.,;]$/.test(command) && command.split("'").length % 2 === 1;
