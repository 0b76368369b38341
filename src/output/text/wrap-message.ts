import { safeText, type SafeText } from '../../core/safe-text.ts';
import { textWidth } from './text-width.ts';

/** Columns below which text is not wrapped. */
const MIN_COLUMNS = 20;

/**
 * Wraps a message at spaces to the width of a terminal. Continuation lines have the indentation of their line and two
 * spaces more. A command line after a colon (`...: berth doctor`) is never broken, so that it can be copied. Returns the
 * text unchanged when `columns` is undefined.
 */
export function wrapMessage(text: SafeText, columns: number | undefined): SafeText {
  if (columns === undefined || columns < MIN_COLUMNS) return text;
  const lines = text.split('\n').flatMap((line) => wrapLine(line, columns));
  return safeText(lines.join('\n'), true);
}

function wrapLine(line: string, columns: number): readonly string[] {
  if (line.length <= columns && /^[\x20-\x7e]*$/.test(line)) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  const continuationIndent = `${indent}  `;
  const words = joinCommandLines(line.slice(indent.length).split(' '));
  const lines: string[] = [];
  let current = indent + (words.shift() ?? '');
  for (const word of words) {
    // A word wider than the terminal is not broken: it is an address or a path, to be copied.
    if (textWidth(`${current} ${word}`) <= columns) current += ` ${word}`;
    else {
      lines.push(current);
      current = continuationIndent + word;
    }
  }
  return [...lines, current];
}

/** The program names that begin a command line in a message. */
const PROGRAMS = /^(berth|awk)$/;

/** Joins the words of each command line: from a program name after a colon to the end of the sentence. */
function joinCommandLines(words: readonly string[]): string[] {
  const joined: string[] = [];
  let command: string | undefined;
  for (const [at, word] of words.entries()) {
    if (command !== undefined) command += ` ${word}`;
    else if (PROGRAMS.test(word) && words[at - 1]?.endsWith(':') === true) command = word;
    else joined.push(word);
    if (command !== undefined && at < words.length - 1 && endsSentence(command)) {
      joined.push(command);
      command = undefined;
    }
  }
  return command === undefined ? joined : [...joined, command];
}

/** True when the text ends with punctuation that is not inside quotes. */
const endsSentence = (command: string): boolean => /[.,;]$/.test(command) && command.split("'").length % 2 === 1;
