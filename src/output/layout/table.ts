import type { Json } from '../../core/json.ts';
import { safeText, say, type TerminalText } from '../../core/safe-text.ts';
import { terminalDetail } from './detail.ts';
import { drawn, joined, spaces } from './drawn.ts';
import { framed } from './table-border.ts';
import { fitColumns, type Fitted, type Wish } from './fit-columns.ts';
import { ellipsize, piecesWidth } from './text-width.ts';
import { inline, paintAll } from './cell-text.ts';
import type { Paint, Piece } from './colour.ts';
import { trusted } from '../trusted.ts';
import type { Column, Facts } from '../view.ts';

export interface TableOptions {
  readonly facts: Facts;
  /** Columns of the terminal. */
  readonly width: number;
  /** Keeps the wide columns however narrow it gets. */
  readonly wide: boolean;
  readonly paint: Paint;
}

type Pieces = readonly Piece[];
type Cells = readonly (readonly Pieces[])[];

/**
 * A table for a terminal: as wide as the terminal at most, one line a row. Wide columns show where there is room to
 * spare, and the longest cells are cut with an ellipsis. Where that does not fit the borders go, and where even that
 * is too wide each row becomes a block of lines.
 */
export async function terminalTable(
  columns: readonly Column[],
  rows: readonly Json[],
  options: TableOptions,
): Promise<TerminalText> {
  if (rows.length === 0) return say``;
  const cells = rows.map((row) =>
    columns.map(({ show }) => inline(show(row, options.facts), { drawn: true }).map(short)),
  );
  const fit = (lines: (count: number) => number, least: number): readonly Fitted[] | undefined =>
    fitColumns(wishes(columns, cells, options.wide, least), options.width, lines);
  const frame = fit((count) => count * 3 + 1, 10);
  if (frame !== undefined) return await bordered(columns, cells, frame, options.paint);
  const bare = fit((count) => count * 2 - 2, 8);
  return bare === undefined ? blocks(columns, rows, options) : borderless(columns, cells, bare, options.paint);
}

function wishes(columns: readonly Column[], cells: Cells, wide: boolean, least: number): readonly Wish[] {
  return columns.map((column, at) => {
    const head = piecesWidth(headOf(column));
    const natural = cells.reduce((most, row) => Math.max(most, piecesWidth(row[at] ?? [])), head);
    return {
      natural,
      // What identifies a row is of no use cut short, and a number cut short looks like another: they go last.
      least: Math.min(
        natural,
        at === 0 || column.whole === true ? 20 : column.right === true ? 10 : Math.max(head, least),
      ),
      shown: wide ? 'always' : column.wide === true ? 'spare' : column.yields === true ? 'room' : 'always',
    };
  });
}

async function bordered(
  columns: readonly Column[],
  cells: Cells,
  fitted: readonly Fitted[],
  paint: Paint,
): Promise<TerminalText> {
  const [head = [], ...rows] = alignedRows(columns, cells, fitted, paint);
  return await framed(head, rows);
}

const borderless = (columns: readonly Column[], cells: Cells, fitted: readonly Fitted[], paint: Paint): TerminalText =>
  joined(alignedRows(columns, cells, fitted, paint).map(bareLine));

/** The header and every row as cells cut or padded to the width of their columns. */
function alignedRows(
  columns: readonly Column[],
  cells: Cells,
  fitted: readonly Fitted[],
  paint: Paint,
): readonly (readonly TerminalText[])[] {
  const head = columns.map(headOf);
  return [head, ...cells].map((row) =>
    fitted.map(({ index, width }) =>
      aligned(ellipsize(row[index] ?? [], width), width, columns[index]?.right === true, paint),
    ),
  );
}

/** Each row as lines of label and value, for a terminal that holds no table. */
function blocks(columns: readonly Column[], rows: readonly Json[], options: TableOptions): TerminalText {
  const { facts, width, wide, paint } = options;
  const shown = columns.filter((column) => wide || column.wide !== true);
  const parts = rows.map((row) => {
    const lines = shown.map(({ header, show }) => ({ label: header, value: show(row, facts) }));
    return terminalDetail([{ lines }], { width, paint });
  });
  return joined(parts, '\n');
}

/** Lines of cells for rows that come one by one. */
export interface GrowingTable {
  header(columns: readonly Column[], paint: Paint): TerminalText;
  row(columns: readonly Column[], row: Json, facts: Facts, paint: Paint): TerminalText;
}

/** A table whose columns are each as wide as their widest cell so far: for rows that come one by one. */
export function growingTable(): GrowingTable {
  const widths: number[] = [];
  const line = (cells: readonly Pieces[], columns: readonly Column[], paint: Paint): TerminalText =>
    bareLine(
      cells.map((pieces, at) => {
        const width = Math.max(widths[at] ?? 0, piecesWidth(pieces));
        widths[at] = width;
        return aligned(pieces, width, columns[at]?.right === true, paint);
      }),
    );
  return {
    header: (columns, paint) => line(columns.map(headOf), columns, paint),
    row: (columns, row, facts, paint) =>
      line(
        columns.map(({ show }) => inline(show(row, facts), { drawn: true })),
        columns,
        paint,
      ),
  };
}

function aligned(pieces: Pieces, width: number, right: boolean, paint: Paint): TerminalText {
  const gap = spaces(width - piecesWidth(pieces));
  const text = paintAll(pieces, paint);
  return right ? drawn`${gap}${text}` : drawn`${text}${gap}`;
}

/** A header as it stands over its column. */
const headOf = ({ header }: Column): Pieces =>
  inline(header, { drawn: true }).map(({ text }) => ({ text, tone: 'strong' }));

const bareLine = (cells: readonly TerminalText[]): TerminalText => trusted(`${joined(cells, '  ').trimEnd()}\n`);

/** As much of a piece as is looked at: more than any terminal's line. */
const MOST = 4096;

const short = ({ text, ...look }: Piece): Piece => ({ ...look, text: safeText(text.slice(0, MOST)) });
