/** What a column needs. Widths are columns of the terminal, without borders. */
export interface ColumnSize {
  /** The width of the longest cell, header included. */
  readonly natural: number;
  /** The width to which it can be cut and still be read. */
  readonly minimum: number;
  /** The width that it has before an `if-spare` column is shown. */
  readonly comfortable: number;
  /** Always shown, or only when it fits: at its minimum (`if-fits`), or where all are comfortable (`if-spare`). */
  readonly shown: 'always' | 'if-fits' | 'if-spare';
}

/** A column that is shown. */
export interface FittedColumn {
  readonly index: number;
  readonly width: number;
}

/** Returns the width of everything around and between a number of columns. */
export type SeparatorWidth = (count: number) => number;

/**
 * Fits a table into a width. Optional columns are added from left to right while all fit, the `if-spare` ones last. Then
 * the longest columns are cut, all to one width. Returns undefined when even that does not fit.
 */
export function fitColumns(
  sizes: readonly ColumnSize[],
  width: number,
  separators: SeparatorWidth,
): readonly FittedColumn[] | undefined {
  const total = (widths: readonly number[]): number =>
    widths.reduce((sum, each) => sum + each, separators(widths.length));
  const all = sizes.map((size, index) => ({ ...size, index }));
  let shown = all.filter((size) => size.shown === 'always');
  for (const rank of ['if-fits', 'if-spare'] as const)
    for (const each of all.filter((size) => size.shown === rank)) {
      const more = all.filter((one) => one === each || shown.includes(one));
      if (total(more.map(rank === 'if-fits' ? minimumWidth : comfortableWidth)) <= width) shown = more;
    }
  const widest = Math.max(0, ...shown.map(({ natural }) => natural));
  for (let longest = Math.min(widest, width); longest >= 0; longest--) {
    const widths = shown.map(({ natural, minimum }) => Math.min(natural, Math.max(minimum, longest)));
    if (total(widths) <= width) return shown.map(({ index }, at) => ({ index, width: widths[at] ?? 0 }));
  }
  return undefined;
}

const minimumWidth = ({ natural, minimum }: ColumnSize): number => Math.min(natural, minimum);

const comfortableWidth = ({ comfortable }: ColumnSize): number => comfortable;
