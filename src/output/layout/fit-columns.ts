/** A column as it would like to be. Widths are columns of the terminal, without borders. */
export interface Wish {
  /** The longest cell, header included. */
  readonly natural: number;
  /** What it can be shortened to and still be read. */
  readonly least: number;
  /** Shown only where there is room: for what it can be shortened to, or to spare. Otherwise always. */
  readonly shown: 'always' | 'room' | 'spare';
}

/** A column that is shown: which one, and how wide. */
export interface Fitted {
  readonly index: number;
  readonly width: number;
}

/** What stands around and between so many columns. */
export type Frame = (count: number) => number;

/**
 * Fits a table into a width. Columns that are not always shown are taken from left to right as far as all fit, those
 * to spare at a comfortable length; then the longest columns are shortened, all to one length. Undefined where even that does not fit.
 */
export function fitColumns(wishes: readonly Wish[], width: number, frame: Frame): readonly Fitted[] | undefined {
  const total = (widths: readonly number[]): number => widths.reduce((sum, each) => sum + each, frame(widths.length));
  const all = wishes.map((wish, index) => ({ ...wish, index }));
  let shown = all.filter((wish) => wish.shown === 'always');
  for (const rank of ['room', 'spare'] as const)
    for (const each of all.filter((wish) => wish.shown === rank)) {
      const more = all.filter((one) => one === each || shown.includes(one));
      if (total(more.map(rank === 'room' ? least : comfortable)) <= width) shown = more;
    }
  const widest = Math.max(0, ...shown.map(({ natural }) => natural));
  for (let longest = Math.min(widest, width); longest >= 0; longest--) {
    const widths = shown.map(({ natural, least }) => Math.min(natural, Math.max(least, longest)));
    if (total(widths) <= width) return shown.map(({ index }, at) => ({ index, width: widths[at] ?? 0 }));
  }
  return undefined;
}

const least = (wish: Wish): number => Math.min(wish.natural, wish.least);

/** A single long cell must not cost the columns that its neighbours have room for. */
const comfortable = ({ natural, least }: Wish): number => Math.min(natural, Math.max(least, 40));
