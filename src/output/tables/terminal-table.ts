import type { Json } from '../../core/json.ts';
import { safeText, say, type TerminalText } from '../../core/safe-text.ts';
import type { Column, Facts } from '../view.ts';
import { alignCell, borderlessLine, clipPiece, headerPieces } from '../cells/aligned-cells.ts';
import { cellPieces } from '../cells/cell-text.ts';
import type { Paint, Piece } from '../text/colour.ts';
import { fitColumns, type ColumnSize, type FittedColumn } from './fit-columns.ts';
import { drawBorders } from './table-border.ts';
import { terminalDetail } from './terminal-detail.ts';
import { joinText, styled } from '../text/terminal-text.ts';
import { ellipsize, piecesWidth, wrap } from '../text/text-width.ts';

export interface TableOptions {
  readonly facts: Facts;
  /** Columns of the terminal. */
  readonly width: number;
  /** Shows the wide columns on a narrow terminal too. */
  readonly wide: boolean;
  readonly paint: Paint;
}

/** The cells of all rows, in the order of rows and columns. */
type CellRows = readonly (readonly (readonly Piece[])[])[];

/**
 * Renders a table for a terminal: never wider than the terminal, one line a row. Wide columns are shown when there is
 * room to spare, and the longest cells are cut with an ellipsis. When that does not fit, the borders are left out; when
 * even that is too wide, or an `uncut` cell is not whole, each row is a block of lines.
 */
export async function terminalTable(
  allColumns: readonly Column[],
  rows: readonly Json[],
  options: TableOptions,
): Promise<TerminalText> {
  if (rows.length === 0) return say``;
  const columns = withValues(allColumns, rows, options.facts);
  const cells = rows.map((row) =>
    columns.map(({ show }) => cellPieces(show(row, options.facts), { terminal: true }).map(clipPiece)),
  );
  const fit = (separators: (count: number) => number, minimum: number): readonly FittedColumn[] | undefined => {
    const sizes = columnSizes(columns, cells, options.wide, minimum);
    const fitted = fitColumns(sizes, options.width, separators);
    const cuts = ({ index, width }: FittedColumn): boolean =>
      columns[index]?.uncut === true && width < (sizes[index]?.natural ?? 0);
    return fitted?.some(cuts) === true ? undefined : fitted;
  };
  const withBorders = fit((count) => count * 3 + 1, 10);
  if (withBorders !== undefined) {
    const [head = [], ...body] = alignedRows(columns, cells, withBorders, options.paint);
    return joinText([await drawBorders(head, body), leftOut(columns, withBorders, options)]);
  }
  const withoutBorders = fit((count) => count * 2 - 2, 8);
  if (withoutBorders === undefined) return rowBlocks(columns, rows, options);
  const lines = alignedRows(columns, cells, withoutBorders, options.paint).map(borderlessLine);
  return joinText([...lines, leftOut(columns, withoutBorders, options)]);
}

/** The columns without those that are shown only where a row has a value and none has; the others of them are not wide. */
const withValues = (columns: readonly Column[], rows: readonly Json[], facts: Facts): readonly Column[] =>
  columns.flatMap((column) => {
    if (column.whereAny !== true) return [column];
    return rows.some((row) => column.show(row, facts) !== undefined) ? [{ ...column, wide: false }] : [];
  });

/** Names the columns that a total counts and that had no room. */
function leftOut(
  columns: readonly Column[],
  shown: readonly FittedColumn[],
  { width, paint }: TableOptions,
): TerminalText {
  const missing = columns.filter(({ counted }, at) => counted === true && shown.every(({ index }) => index !== at));
  if (missing.length === 0) return say``;
  const text = safeText(`No room for ${missing.map(({ header }) => header).join(', ')}: see them with -o wide.`);
  return joinText(wrap(text, width).map((line) => styled`${paint(line, 'quiet')}\n`));
}

/** A cell longer than this does not keep other columns from being shown, unless it is a sentence. */
const COMFORTABLE = 40;

function columnSizes(columns: readonly Column[], cells: CellRows, wide: boolean, least: number): readonly ColumnSize[] {
  return columns.map((column, at) => {
    const head = piecesWidth(headerPieces(column));
    const natural = cells.reduce((most, row) => Math.max(most, piecesWidth(row[at] ?? [])), head);
    // A cut id identifies nothing, and a cut number looks like another number: these columns are cut last.
    const minimum = Math.min(
      natural,
      at === 0 || column.cutLast === true ? 20 : column.right === true ? 10 : Math.max(head, least),
    );
    return {
      natural,
      minimum,
      comfortable: column.sentence === true ? natural : Math.min(natural, Math.max(minimum, COMFORTABLE)),
      shown: wide ? 'always' : column.wide === true ? 'if-spare' : column.dropFirst === true ? 'if-fits' : 'always',
    };
  });
}

/** Returns the header and every row as cells that are cut or padded to the width of their columns. */
function alignedRows(
  columns: readonly Column[],
  cells: CellRows,
  fitted: readonly FittedColumn[],
  paint: Paint,
): readonly (readonly TerminalText[])[] {
  const head = columns.map(headerPieces);
  return [head, ...cells].map((row) =>
    fitted.map(({ index, width }) =>
      alignCell(ellipsize(row[index] ?? [], width), width, columns[index]?.right === true, paint),
    ),
  );
}

/** Renders each row as lines of label and value, for a terminal that is too narrow for a table. */
function rowBlocks(columns: readonly Column[], rows: readonly Json[], options: TableOptions): TerminalText {
  const { facts, width, wide, paint } = options;
  const shown = columns.filter((column) => wide || column.wide !== true);
  const blocks = rows.map((row) => {
    const lines = shown.map(({ header, show }) => ({ label: header, value: show(row, facts) }));
    return terminalDetail([{ lines }], { width, paint });
  });
  return joinText(blocks, '\n');
}
