import type { Json } from '../../core/json.ts';
import type { TerminalText } from '../../core/safe-text.ts';
import type { Column, Facts } from '../view.ts';
import { alignCell, borderlessLine, headerPieces } from '../cells/aligned-cells.ts';
import { cellPieces } from '../cells/cell-text.ts';
import type { Paint, Piece } from '../text/colour.ts';
import { piecesWidth } from '../text/text-width.ts';

/** The lines of a table whose rows arrive one at a time. */
export interface GrowingTable {
  header(columns: readonly Column[], paint: Paint): TerminalText;
  row(columns: readonly Column[], row: Json, facts: Facts, paint: Paint): TerminalText;
}

/** Creates a table whose columns are each as wide as their widest cell so far. */
export function growingTable(): GrowingTable {
  const widths: number[] = [];
  const line = (cells: readonly (readonly Piece[])[], columns: readonly Column[], paint: Paint): TerminalText =>
    borderlessLine(
      cells.map((pieces, at) => {
        const width = Math.max(widths[at] ?? 0, piecesWidth(pieces));
        widths[at] = width;
        return alignCell(pieces, width, columns[at]?.right === true, paint);
      }),
    );
  return {
    header: (columns, paint) => line(columns.map(headerPieces), columns, paint),
    row: (columns, row, facts, paint) =>
      line(
        columns.map(({ show }) => cellPieces(show(row, facts), { terminal: true })),
        columns,
        paint,
      ),
  };
}
