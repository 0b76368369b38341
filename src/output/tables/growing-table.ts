import type { Json } from '../../core/json.ts';
import type { TerminalText } from '../../core/safe-text.ts';
import type { Column, Facts } from '../view.ts';
import { alignCell, borderlessLine, headerPieces } from '../cells/aligned-cells.ts';
import { cellPieces } from '../cells/cell-text.ts';
import type { Paint } from '../text/colour.ts';
import { piecesWidth } from '../text/text-width.ts';

/** A table whose rows arrive some at a time. */
export interface GrowingTable {
  /** The lines of these rows, below that of the header where it `hasHeader`. */
  lines(
    columns: readonly Column[],
    rows: readonly Json[],
    options: { readonly hasHeader: boolean; readonly facts: Facts; readonly paint: Paint },
  ): readonly TerminalText[];
}

/** Creates a table whose columns are each as wide as their widest cell so far, that of the header too. */
export function growingTable(): GrowingTable {
  const widths: number[] = [];
  return {
    lines: (columns, rows, { hasHeader, facts, paint }) => {
      const lines = [
        ...(hasHeader ? [columns.map(headerPieces)] : []),
        ...rows.map((row) => columns.map(({ show }) => cellPieces(show(row, facts), { terminal: true }))),
      ];
      for (const cells of lines)
        for (const [at, pieces] of cells.entries()) widths[at] = Math.max(widths[at] ?? 0, piecesWidth(pieces));
      return lines.map((cells) =>
        borderlessLine(
          cells.map((pieces, at) => alignCell(pieces, widths[at] ?? 0, columns[at]?.right === true, paint)),
        ),
      );
    },
  };
}
