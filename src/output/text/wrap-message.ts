import type { SettingsView } from '../../core/context.ts';
import { type Message, type PrintedPart, printedParts } from '../../core/message.ts';
import { safeText, type SafeText } from '../../core/safe-text.ts';
import { textWidth } from './text-width.ts';

const MIN_COLUMNS = 20;

/** What is never broken: a word, or a command line with the punctuation after it. */
interface Unit {
  readonly text: string;
  readonly isCommand: boolean;
  /** Text follows the command without a space, such as a full stop: where the line ends with it, it would be copied too. */
  readonly isFollowed?: boolean;
}

/** Command lines are never broken, so that they can be copied: also after a colon and in backticks. */
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

function linesOf(parts: readonly PrintedPart[]): readonly (readonly PrintedPart[])[] {
  const found: PrintedPart[][] = [[]];
  for (const { text, isCommand } of parts) {
    const [first = '', ...others] = text.split('\n');
    found.at(-1)?.push({ text: first, isCommand });
    found.push(...others.map((other) => [{ text: other, isCommand }]));
  }
  return found;
}

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

const PROGRAMS = /^(berth|awk)$/;

/** From a program name after a colon to the sentence's end, in backticks, or with shell text (`< key.txt`). */
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
