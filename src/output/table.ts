import type { Json } from '../core/json.ts';
import { terminalDetail } from './detail.ts';
import { fitColumns, type Fitted } from './fit.ts';
import { ellipsize, piecesWidth, textWidth } from './measure.ts';
import { inline, paintAll, type Piece } from './pieces.ts';
import type { Paint } from './tone.ts';
import type { Column, Facts } from './view.ts';

/** What a shortened cell keeps at least, and how much of a cell is looked at. */
const LEAST = 10;
const MOST = 4096;

export interface TableOptions {
  readonly facts: Facts;
  /** Columns of the terminal. */
  readonly width: number;
  /** Keeps the wide columns however narrow it gets. */
  readonly wide: boolean;
  readonly paint: Paint;
}

/**
 * A table for a terminal: as wide as the terminal at most, one line a row. Wide columns show where there is room to
 * spare, the longest cells are cut with an ellipsis, and where even that does not fit each row becomes a block.
 */
export async function terminalTable(
  columns: readonly Column[],
  rows: readonly Json[],
  options: TableOptions,
): Promise<string> {
  if (rows.length === 0) return '';
  const cells = rows.map((row) =>
    columns.map(({ show }) => inline(show(row, options.facts), { drawn: true }).map(short)),
  );
  const fitted = fitColumns(
    columns.map((column, at) =>
      wish(
        column,
        cells.map((row) => row[at] ?? []),
        options.wide,
      ),
    ),
    options.width,
  );
  return fitted === undefined ? blocks(columns, rows, options) : await bordered(columns, cells, fitted, options.paint);
}

function wish({ header, right, wide }: Column, cells: readonly (readonly Piece[])[], keepWide: boolean) {
  const head = textWidth(header);
  const natural = cells.reduce((most, cell) => Math.max(most, piecesWidth(cell)), head);
  // A number cut short is another number.
  const least = right === true ? natural : Math.min(natural, Math.max(head, LEAST));
  return { natural, least, spare: wide === true && !keepWide };
}

async function bordered(
  columns: readonly Column[],
  cells: readonly (readonly (readonly Piece[])[])[],
  fitted: readonly Fitted[],
  paint: Paint,
): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    head: fitted.map(({ index }) => paint(columns[index]?.header ?? '', 'strong')),
    colWidths: fitted.map(({ width }) => width + 2),
    colAligns: fitted.map(({ index }) => (columns[index]?.right === true ? 'right' : 'left')),
    style: { head: [], border: [], compact: true },
  });
  for (const row of cells)
    table.push(fitted.map(({ index, width }) => paintAll(ellipsize(row[index] ?? [], width), paint)));
  return `${table.toString()}\n`;
}

/** Each row as lines of label and value, for a terminal that holds no table. */
function blocks(
  columns: readonly Column[],
  rows: readonly Json[],
  { facts, width, wide, paint }: TableOptions,
): string {
  const shown = columns.filter((column) => wide || column.wide !== true);
  return rows
    .map((row) => {
      const lines = shown.map(({ header, show }) => ({ label: header, value: show(row, facts) }));
      return terminalDetail([{ lines }], { width, paint });
    })
    .join('\n');
}

/** Lines of cells for rows that come one by one: a column is as wide as its widest cell so far. */
export function growingTable(): GrowingTable {
  const widths: number[] = [];
  const padded = (cells: readonly (readonly Piece[])[], columns: readonly Column[], paint: Paint): string => {
    const parts = cells.map((cell, at) => {
      const own = piecesWidth(cell);
      const width = (widths[at] = Math.max(widths[at] ?? 0, own));
      const gap = ' '.repeat(width - own);
      if (columns[at]?.right === true) return gap + paintAll(cell, paint);
      return paintAll(cell, paint) + (at === cells.length - 1 ? '' : gap);
    });
    return `${parts.join('  ')}\n`;
  };
  return {
    header: (columns, paint) =>
      padded(
        columns.map(({ header }) => inline({ text: header, tone: 'strong' }, { drawn: true })),
        columns,
        paint,
      ),
    row: (columns, row, facts, paint) =>
      padded(
        columns.map(({ show }) => inline(show(row, facts), { drawn: true })),
        columns,
        paint,
      ),
  };
}

interface GrowingTable {
  header(columns: readonly Column[], paint: Paint): string;
  row(columns: readonly Column[], row: Json, facts: Facts, paint: Paint): string;
}

const short = (piece: Piece): Piece =>
  piece.text.length <= MOST ? piece : { ...piece, text: piece.text.slice(0, MOST) };
