import type { SettingsView } from '../../core/context.ts';
import { linesOf, type Message, type PrintedPart, printedParts } from '../../core/message.ts';
import { safeText, type SafeText } from '../../core/safe-text.ts';
import { textWidth } from './text-width.ts';

const MIN_COLUMNS = 20;

/** Wraps between words and never inside a command line, so that it can be copied. */
export function wrapParts(parts: readonly PrintedPart[], columns: number, indent = '  '): readonly SafeText[] {
  const most = columns < MIN_COLUMNS ? Infinity : columns;
  const lines: string[] = [];
  let line = '';
  for (const word of wordsOf(parts)) {
    const longer = line + word;
    if (line === '' || textWidth(longer.trimEnd()) <= most) line = longer;
    else {
      lines.push(line.trimEnd());
      line = indent + word;
    }
  }
  return [...lines, line.trimEnd()].map((each) => safeText(each));
}

/** What a shell makes of the command before it, such as `| jq` or `< FILE`. */
const FOR_SHELL = /^ (?:[<|] |--[a-z])/;

/** Words with the spaces after them; a command line and what follows it without a space are one. */
function wordsOf(parts: readonly PrintedPart[]): readonly string[] {
  const words: string[] = [];
  for (const { text, isCommand } of parts) {
    const [first = '', ...others] = isCommand || FOR_SHELL.test(text) ? [text] : text.split(/(?<= )(?! )/);
    if (words.at(-1)?.endsWith(' ') === false) words.push(`${words.pop() ?? ''}${first}`, ...others);
    else words.push(first, ...others);
  }
  return words;
}

/** A note of a command. Its commands get the words that chose the account. */
export const wrapMessage = (
  message: Message,
  settings: Pick<SettingsView, 'accountWords'>,
  columns: number,
): SafeText =>
  safeText(
    linesOf(message)
      .flatMap((line) => wrapParts(printedParts(line, settings), columns))
      .join('\n'),
    true,
  );
