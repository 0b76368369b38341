import { safeText, type TerminalText } from '../../core/safe-text.ts';
import type { Block, Page, PageRow } from '../view.ts';
import { loadPaint, type Paint } from './colour.ts';
import { joinText, styled } from './terminal-text.ts';

export interface PageTerminal {
  readonly columns: number | undefined;
  readonly colour: boolean;
}

const MIN_WIDTH = 60;
const MAX_WIDTH = 100;
const PLAIN_WIDTH = 80;
const GUTTER = 2;

/** Lays a page out at the width of the terminal, from 60 to 100 columns. Headings are bold where there is colour. */
export async function drawPage(page: Page, { columns = PLAIN_WIDTH, colour }: PageTerminal): Promise<TerminalText> {
  const width = Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns));
  const paint = await loadPaint(colour);
  return styled`${joinText(
    page.map((block) => drawBlock(block, width, paint)),
    '\n\n',
  )}\n`;
}

function drawBlock(block: Block, width: number, paint: Paint): TerminalText {
  const headed = (title: string, lines: readonly string[]): TerminalText =>
    styled`${paint(safeText(title), 'strong')}\n${safeText(lines.join('\n'), true)}`;
  switch (block.kind) {
    case 'text':
      return safeText(wrap(block.text, width).join('\n'), true);
    case 'literal':
      return safeText(block.text, true);
    case 'usage':
      return safeText(wrapUsage(block.words, width), true);
    case 'rows':
      return headed(block.title, rowLines(block.rows, width));
    case 'examples':
      return headed(
        block.title,
        block.rows.flatMap(([line, what]) => [
          `  ${line}`,
          ...wrap(what, width - EXAMPLE_INDENT.length).map((each) => EXAMPLE_INDENT + each),
        ]),
      );
  }
}

const EXAMPLE_INDENT = ' '.repeat(6);

function rowLines(rows: readonly PageRow[], width: number): readonly string[] {
  const most = width < PLAIN_WIDTH ? 26 : 34;
  const left = Math.min(most, Math.max(...rows.map(([name]) => name.length)));
  const margin = ' '.repeat(GUTTER + left + GUTTER);
  return rows.map(([name, text]) => {
    const wrapped = wrap(text, width - margin.length);
    const head =
      name.length > left
        ? `${' '.repeat(GUTTER)}${name}\n${margin}`
        : `${' '.repeat(GUTTER)}${name.padEnd(left + GUTTER)}`;
    return (head + wrapped.join(`\n${margin}`)).trimEnd();
  });
}

const USAGE = 'Usage: ';

const wrapUsage = (words: readonly string[], width: number): string =>
  USAGE + wrapWords(words, width - USAGE.length).join(`\n${' '.repeat(USAGE.length)}`);

/** Wraps text at spaces; its own line breaks and the indentation of a line are kept. A word is never broken. */
const wrap = (text: string, width: number): readonly string[] =>
  text.split('\n').flatMap((paragraph) => {
    const indent = /^ */.exec(paragraph)?.[0] ?? '';
    const words = paragraph.slice(indent.length).split(' ');
    return wrapWords(words, width - indent.length).map((line) => indent + line);
  });

function wrapWords(words: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
