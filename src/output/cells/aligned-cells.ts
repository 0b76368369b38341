import { safeText, type TerminalText } from '../../core/safe-text.ts';
import type { Column } from '../view.ts';
import { cellPieces, paintAll } from './cell-text.ts';
import type { Paint, Piece } from '../text/colour.ts';
import { trusted } from '../trusted.ts';
import { joinText, spaces, styled } from '../text/terminal-text.ts';
import { piecesWidth } from '../text/text-width.ts';

/** Paints a cell and pads it to the width of its column. */
export function alignCell(pieces: readonly Piece[], width: number, right: boolean, paint: Paint): TerminalText {
  const gap = spaces(width - piecesWidth(pieces));
  const text = paintAll(pieces, paint);
  return right ? styled`${gap}${text}` : styled`${text}${gap}`;
}

/** Returns a column's header as pieces. */
export const headerPieces = ({ header }: Column): readonly Piece[] =>
  cellPieces(header, { terminal: true }).map(({ text }) => ({ text, tone: 'strong' }));

/** Joins aligned cells to a line without borders. */
export const borderlessLine = (cells: readonly TerminalText[]): TerminalText =>
  trusted(`${joinText(cells, '  ').trimEnd()}\n`);

/** The most characters of a piece that are measured: more than any line of a terminal. */
const MAX_LENGTH = 4096;

export const clipPiece = ({ text, ...style }: Piece): Piece => ({
  ...style,
  text: safeText(text.slice(0, MAX_LENGTH)),
});
