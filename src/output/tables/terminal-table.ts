import type { Json } from '../../core/json.ts';
import { safeText, type SafeText, say, type TerminalText } from '../../core/safe-text.ts';
import { cellLines, cellPieces, clipPiece, headerPieces, isEmpty, paintAll } from '../cell-text.ts';
import type { Paint, Piece } from '../text/colour.ts';
import { joinText, spaces, styled } from '../text/terminal-text.ts';
import { alignCell, ellipsize, fits, piecesWidth, textWidth, wrap } from '../text/text-width.ts';
import { wrapParts } from '../text/wrap-message.ts';
import { trusted } from '../trusted.ts';
import type { Column, Facts, Section, Shown } from '../view.ts';

const GAP = 2;

export interface TableOptions {
  readonly facts: Facts;
  readonly width: number;
  readonly wide: boolean;
  readonly paint: Paint;
}

/** A header and a line for each row, cut to the width; where nothing fits, a block of lines for each row. */
export async function terminalTable(
  all: readonly Column[],
  rows: readonly Json[],
  options: TableOptions,
): Promise<TerminalText> {
  if (rows.length === 0) return say``;
  const { facts, width, wide, paint } = options;
  const columns = withoutEmpty(all, rows, facts);
  const cells = rows.map((row) => columns.map(({ show }) => cellPieces(show(row, facts)).map(clipPiece)));
  const fitted = fitColumns(columnSizes(columns, cells, options), width);
  if (fitted === undefined) return rowBlocks(columns, rows, options);
  const lines = [columns.map(headerPieces), ...cells].map((row) =>
    fitted.map(({ index, width: most }) => cellText(row[index] ?? [], columns[index], most, paint)),
  );
  const hidden = columns.filter(({ wide: isWide }, at) => isWide !== true && fitted.every(({ index }) => index !== at));
  const note = say`Hidden columns: ${hidden.map(({ header }) => header).join(', ')} (-o wide).`;
  const noteLines = hidden.length === 0 || wide ? [] : wrap(note, width).map((line) => paint(line, 'quiet'));
  return joinText([await layOut(lines), ...noteLines.map((line) => styled`${line}\n`)]);
}

function withoutEmpty(columns: readonly Column[], rows: readonly Json[], facts: Facts): readonly Column[] {
  const filled = columns.filter(
    ({ always, show }) => always === true || rows.some((row) => !isEmpty(show(row, facts))),
  );
  return filled.length === 0 ? columns.slice(0, 1) : filled;
}

interface ColumnSize {
  readonly natural: number;
  readonly least: number;
  readonly isName: boolean;
  /** A name is cut to this first, and further only once all other columns have their least width. */
  readonly firm: number;
  /** Always shown, or only when it fits: firm (`if-fits`), or where all are comfortable (`if-spare`). */
  readonly shown: 'always' | 'if-fits' | 'if-spare';
}

const LEAST = 8;
const LEAST_NUMBER = 10;
const LEAST_WORD = 20;
const LEAST_NAME = 24;
const LEAST_WRAPPED = 24;
/** A longer cell does not keep other columns from being shown. */
const COMFORTABLE = 40;

function columnSizes(
  columns: readonly Column[],
  cells: readonly (readonly (readonly Piece[])[])[],
  { width, wide }: TableOptions,
): readonly ColumnSize[] {
  return columns.map((column, at) => {
    const head = piecesWidth(headerPieces(column));
    const natural = cells.reduce((most, row) => Math.max(most, piecesWidth(row[at] ?? [])), head);
    const isName = at === 0 || column.cutLast === true || /^(NAME|ID)$/i.test(column.header);
    const least = Math.min(natural, leastWidth(column, isName, head));
    return {
      natural,
      least,
      isName,
      firm: isName ? Math.min(natural, Math.max(LEAST_NAME, Math.floor(width / 4))) : least,
      shown: wide ? 'always' : column.wide === true ? 'if-spare' : column.dropFirst === true ? 'if-fits' : 'always',
    };
  });
}

/** A cut status means nothing, and a cut number looks like another number. */
function leastWidth({ cutLast, wraps, right }: Column, isName: boolean, head: number): number {
  if (cutLast === true) return LEAST_WORD;
  if (wraps === true) return LEAST_WRAPPED;
  if (right === true) return LEAST_NUMBER;
  return isName ? LEAST : Math.max(head, LEAST);
}

interface FittedColumn {
  readonly index: number;
  readonly width: number;
}

/** Adds optional columns from left to right, then cuts the longest ones. Undefined when nothing fits. */
function fitColumns(sizes: readonly ColumnSize[], width: number): readonly FittedColumn[] | undefined {
  const fit = (widths: readonly number[]): boolean =>
    widths.reduce((sum, each) => sum + each, GAP * (widths.length - 1)) <= width;
  const all = sizes.map((size, index) => ({ ...size, index }));
  let shown = all.filter((size) => size.shown === 'always');
  for (const rank of ['if-fits', 'if-spare'] as const) {
    // No extra column in the place of a usual one.
    if (rank === 'if-spare' && all.some((size) => size.shown === 'if-fits' && !shown.includes(size))) break;
    for (const each of all.filter((size) => size.shown === rank)) {
      const more = all.filter((one) => one === each || shown.includes(one));
      const widths = more.map(({ natural, firm }) =>
        rank === 'if-fits' ? firm : Math.min(natural, Math.max(firm, COMFORTABLE)),
      );
      if (fit(widths)) shown = more;
    }
  }
  const widths = shown.map(({ natural }) => natural);
  const cut = (isName: boolean, floor: 'firm' | 'least'): void => {
    for (let longest = Math.max(...widths); longest >= 0 && !fit(widths); longest--)
      for (const [at, size] of shown.entries())
        if (size.isName === isName) widths[at] = Math.min(widths[at] ?? 0, Math.max(size[floor], longest));
  };
  cut(true, 'firm');
  cut(false, 'least');
  cut(true, 'least');
  return fit(widths) ? shown.map(({ index }, at) => ({ index, width: widths[at] ?? 0 })) : undefined;
}

function cellText(pieces: readonly Piece[], column: Column | undefined, width: number, paint: Paint): TerminalText {
  const lines = column?.wraps === true && !fits(pieces, width) ? wrapPieces(pieces, width) : [ellipsize(pieces, width)];
  return joinText(
    lines.map((line) => alignCell(line, width, column?.right === true, paint)),
    '\n',
  );
}

const wrapPieces = (pieces: readonly Piece[], width: number): readonly (readonly Piece[])[] =>
  wrap(textOf(pieces), width).map((text) => [{ text, tone: pieces[0]?.tone }]);

/** Rows drawn at a time: the time that cli-table3 takes grows with the square of the rows. */
const SLICE_ROWS = 64;

const BORDERS = ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) => [side, `${side}-mid`]);
const NO_BORDERS = Object.fromEntries(
  [...BORDERS, 'top-left', 'top-right', 'bottom-left', 'bottom-right'].map((each) => [each, '']),
);

/** The cells are padded already: cli-table3 measures a few scripts (Devanagari) differently. */
async function layOut(rows: readonly (readonly TerminalText[])[]): Promise<TerminalText> {
  const { default: Table } = await import('cli-table3');
  let text = '';
  for (let at = 0; at < rows.length; at += SLICE_ROWS) {
    const table = new Table({
      chars: { ...NO_BORDERS, middle: ' '.repeat(GAP) },
      // No colours here: the library would decide on them by itself.
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    });
    table.push(...rows.slice(at, at + SLICE_ROWS).map((row) => [...row]));
    text += `${table.toString()}\n`;
  }
  return trusted(text.replace(/ +$/gm, ''));
}

function rowBlocks(columns: readonly Column[], rows: readonly Json[], options: TableOptions): TerminalText {
  const { facts, width, wide, paint } = options;
  const shown = columns.filter((column) => wide || column.wide !== true);
  const blocks = rows.map((row) => {
    const lines = shown.map(({ header, show }) => ({ label: header, value: show(row, facts) }));
    return terminalDetail([{ lines }], { width, paint });
  });
  return joinText(blocks, '\n');
}

interface DetailOptions {
  readonly width: number;
  readonly paint: Paint;
}

const MIN_VALUE_WIDTH = 16;

export function terminalDetail(sections: readonly Section[], { width, paint }: DetailOptions): TerminalText {
  const shown = sections.filter(({ lines }) => lines.length > 0);
  const margin = shown.some(({ title }) => title !== undefined) ? 2 : 0;
  const labels = shown.flatMap(({ lines }) => lines.map(({ label }) => textWidth(safeLabel(label))));
  const labelWidth = Math.max(0, Math.min(Math.max(0, ...labels), width - margin - GAP - MIN_VALUE_WIDTH));
  const valueWidth = Math.max(1, width - margin - labelWidth - GAP);
  const blocks = shown.map(({ title, lines }) => {
    const body = lines.flatMap(({ label, value }) => {
      const values = valueLines(value, valueWidth, paint);
      return labelledLines(safeLabel(label), values, labelWidth, paint).map((line) => styled`${spaces(margin)}${line}`);
    });
    return joinText([...(title === undefined ? [] : [paint(safeLabel(title), 'strong')]), ...body, say``], '\n');
  });
  return joinText(blocks, margin > 0 ? '\n' : '');
}

function labelledLines(
  label: SafeText,
  values: readonly TerminalText[],
  labelWidth: number,
  paint: Paint,
): readonly TerminalText[] {
  const gap = spaces(labelWidth + GAP);
  const own = textWidth(label);
  if (own > labelWidth) return [paint(label, 'quiet'), ...values.map((value) => styled`${gap}${value}`)];
  const first = styled`${paint(label, 'quiet')}${spaces(labelWidth - own + GAP)}`;
  return values.map((value, at) => styled`${at === 0 ? first : gap}${value}`);
}

function valueLines(value: Shown, width: number, paint: Paint): readonly TerminalText[] {
  const parts = typeof value === 'object' && 'parts' in value ? value.parts : undefined;
  if (parts !== undefined) return wrapParts(parts, width);
  return cellLines(value).flatMap((item) =>
    (fits(item, width) ? [item] : wrapPieces(item, width)).map((line) => paintAll(line, paint)),
  );
}

const safeLabel = (label: string): SafeText => textOf(cellPieces(label));

const textOf = (pieces: readonly Piece[]): SafeText => safeText(pieces.map(({ text }) => text).join(''));
