import type { Piece } from '../../../output/text/colour.ts';
import { piecesWidth } from '../../../output/text/text-width.ts';

/** A column of `top`. Widths are columns of the terminal. */
export interface TopColumn<R> {
  readonly header: string;
  /**
   * The widths it can have, the smallest first. All columns grow to their second width, then all to their third, while
   * there is room.
   */
  readonly widths: readonly [number, ...number[]];
  /** Columns with the highest rank are left out first where the terminal is too narrow. */
  readonly rank: number;
  readonly right?: boolean;
  /**
   * Numbers and states, which are never cut: the column is at least as wide as its widest cell. A number is the width up to
   * which that holds.
   */
  readonly whole?: boolean | number;
  /** The narrowest line, in columns, that has room for it. */
  readonly from?: number;
  /** The cell; `width` is the width of the column. */
  readonly cell: (row: R, width: number) => readonly Piece[];
}

/** A column that is shown, and how wide. */
export interface Placed<R> {
  readonly column: TopColumn<R>;
  readonly width: number;
}

/** The columns between two cells. */
export const GAP = 1;

/** Chooses the columns of these rows that fit a width, in their order, and how wide each is. */
export function placed<R>(columns: readonly TopColumn<R>[], rows: readonly R[], width: number): readonly Placed<R>[] {
  let shown = columns.filter(({ from = 0 }) => width >= from).map((column) => wideEnough(column, rows));
  const total = (widths: readonly number[]): number =>
    widths.reduce((sum, each) => sum + each, GAP * (widths.length - 1));
  while (shown.length > 1 && total(shown.map(({ widths }) => widths[0])) > width) {
    const last = Math.max(...shown.map(({ rank }) => rank));
    shown = shown.filter(({ rank }) => rank !== last);
  }
  const widths = shown.map((column) => column.widths[0]);
  const steps = Math.max(...shown.map((column) => column.widths.length));
  for (let step = 1; step < steps; step++)
    for (const [at, column] of shown.entries()) {
      const left = width - total(widths);
      const now = widths[at] ?? 0;
      widths[at] = now + Math.max(0, Math.min(left, (column.widths[step] ?? now) - now));
    }
  return shown.map((column, at) => ({ column, width: widths[at] ?? 0 }));
}

/** A column that is never cut, with widths for all of its cells; another one as it is. */
function wideEnough<R>(column: TopColumn<R>, rows: readonly R[]): TopColumn<R> {
  const { whole = false } = column;
  if (whole === false) return column;
  const [first, ...others] = column.widths;
  const widest = rows.reduce((most, row) => Math.max(most, piecesWidth(column.cell(row, first))), 0);
  return { ...column, widths: [Math.max(first, Math.min(widest, whole === true ? Infinity : whole)), ...others] };
}
