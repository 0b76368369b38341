import type { SettingsView } from '../../core/context.ts';
import { printedParts, type Message, type PrintedPart } from '../../core/message.ts';
import { safeText, type SafeText } from '../../core/safe-text.ts';
import { textWidth } from './text-width.ts';

/** Columns below which text is not wrapped. */
const MIN_COLUMNS = 20;

/** What is never broken: a word, or a command line with the punctuation after it. */
interface Unit {
  readonly text: string;
  /** A command that `printedParts` told apart. */
  readonly isCommand: boolean;
  /** Text follows the command without a space, such as a full stop: where the line ends with it, it would be copied too. */
  readonly isFollowed?: boolean;
}

/**
 * Wraps a message at spaces to the width of a terminal. Continuation lines have the indentation of their line and two
 * spaces more. A command line is never broken, so that it can be copied: where it does not fit, it has a line of its own. In
 * a plain text, that is what stands after a colon (`...: berth doctor`) or in backticks. Returns the text unchanged when
 * `columns` is undefined.
 */
export function wrapMessage(message: SafeText | readonly PrintedPart[], columns: number | undefined): SafeText {
  const parts = typeof message === 'string' ? [{ text: message, isCommand: false }] : message;
  if (columns === undefined || columns < MIN_COLUMNS) return safeText(parts.map(({ text }) => text).join(''), true);
  return safeText(
    linesOf(parts)
      .flatMap((line) => wrapParts(line, columns))
      .join('\n'),
    true,
  );
}

/** Wraps a line of a command, such as a note, as `wrapMessage` does; its commands get the words that chose the account. */
export const wrapLine = (line: Message, settings: Pick<SettingsView, 'accountWords'>, columns: number): SafeText =>
  wrapMessage(
    printedParts(line, settings).map((part) => ({ ...part, text: safeText(part.text) })),
    columns,
  );

/** Wraps the parts of one line to a width, as `wrapMessage` does. */
export function wrapParts(parts: readonly PrintedPart[], columns: number): readonly SafeText[] {
  const line = parts.map(({ text }) => text).join('');
  if (line.length <= columns && /^[\x20-\x7e]*$/.test(line)) return [safeText(line, true)];
  const indent = /^ */.exec(parts[0]?.text ?? '')?.[0] ?? '';
  const [first, ...units] = unitsOf(parts, indent.length);
  const lines: string[] = [];
  let current = indent + (first?.text ?? '');
  let mustEnd = false;
  for (const { text, isFollowed } of units) {
    // What is wider than the terminal is not broken: it is an address, a path or a command, to be copied.
    if (!mustEnd && textWidth(`${current} ${text}`) <= columns) current += ` ${text}`;
    else {
      lines.push(current);
      mustEnd = isFollowed === true && /[.,;:]$/.test(text);
      current = `${indent}  ${mustEnd ? text.slice(0, -1) : text}`;
    }
  }
  return [...lines, current].map((each) => safeText(each, true));
}

/** The parts of each line. */
function linesOf(parts: readonly PrintedPart[]): readonly (readonly PrintedPart[])[] {
  const found: PrintedPart[][] = [[]];
  for (const { text, isCommand } of parts) {
    const [first = '', ...others] = text.split('\n');
    found.at(-1)?.push({ text: first, isCommand });
    found.push(...others.map((other) => [{ text: other, isCommand }]));
  }
  return found;
}

/** What stands between the spaces of a line, without the spaces at its start. */
function unitsOf(parts: readonly PrintedPart[], start: number): readonly Unit[] {
  const words: Unit[] = [];
  for (const [at, { text, isCommand }] of parts.entries()) {
    const [first = '', ...others] = isCommand ? [text] : text.slice(at === 0 ? start : 0).split(' ');
    const last = words.pop();
    const isAfter = last?.isCommand === true;
    words.push({
      text: (last?.text ?? '') + first,
      isCommand: isCommand || isAfter,
      isFollowed: !isCommand && isAfter && first !== '',
    });
    words.push(...others.map((other) => ({ text: other, isCommand: false })));
  }
  return joinCommandLines(words);
}

/** The program names that begin a command line in a plain text. */
const PROGRAMS = /^(berth|awk)$/;

/**
 * Joins the words of each command line: from a program name after a colon to the end of the sentence, what is in backticks,
 * and a command with what is for the shell (`< key.txt`, `"$(cat key.pub)"`, `--env KEY="$(cat key.pub)"`).
 */
function joinCommandLines(words: readonly Unit[]): readonly Unit[] {
  const joined: Unit[] = [];
  let open: { readonly unit: Unit; readonly ends: (text: string) => boolean } | undefined;
  for (const [at, word] of words.entries()) {
    const next = words[at + 1];
    if (open !== undefined) open = { ...open, unit: { ...open.unit, text: `${open.unit.text} ${word.text}` } };
    else if (PROGRAMS.test(word.text) && words[at - 1]?.text.endsWith(':') === true)
      open = { unit: word, ends: endsSentence };
    else if (/^`[^`]+$/.test(word.text)) open = { unit: word, ends: (text) => text.includes('`', 1) };
    else if (word.isCommand && /^([<|]$|"\$\(|--[a-z])/.test(next?.text ?? ''))
      open = { unit: word, ends: endsSentence };
    else joined.push(word);
    if (open !== undefined && (next === undefined || open.ends(open.unit.text))) {
      joined.push(open.unit);
      open = undefined;
    }
  }
  return joined;
}

/** True when the text ends with punctuation that is not inside quotes. */
const endsSentence = (command: string): boolean => /[.,;]$/.test(command) && command.split("'").length % 2 === 1;
