import stringWidth from 'string-width';
import type { Piece } from './pieces.ts';

/** Columns of a terminal that text takes: wide characters take two, combining ones none. */
export const textWidth = (text: string): number => stringWidth(text);

export const piecesWidth = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { text }) => sum + stringWidth(text), 0);

/** Pieces cut to a width, the cut shown by an ellipsis. */
export function ellipsize(pieces: readonly Piece[], width: number): readonly Piece[] {
  if (piecesWidth(pieces) <= width) return pieces;
  const kept: Piece[] = [];
  let left = width - 1;
  for (const piece of pieces) {
    const text = head(piece.text, left);
    left -= stringWidth(text);
    kept.push({ ...piece, text });
    if (text.length < piece.text.length) break;
  }
  return [...kept, { ...kept.at(-1), text: '…' }];
}

/** Text broken into lines of a width, between words where it can be. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/(?<= )(?! )/)) {
    if (line !== '' && stringWidth(line) + stringWidth(word.trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    let rest = word;
    for (;;) {
      const part = head(rest, width) || String.fromCodePoint(rest.codePointAt(0) ?? 0x20);
      if (part.length >= rest.trimEnd().length) break;
      lines.push(part);
      rest = rest.slice(part.length);
    }
    line += rest;
  }
  return line.trimEnd() === '' && lines.length > 0 ? lines : [...lines, line.trimEnd()];
}

/** As much of the beginning as a width holds, never half a character as a person sees it. */
function head(text: string, width: number): string {
  // What a terminal's line can hold lies well within this; a longer text is not walked to its end.
  const near = text.slice(0, width * 16 + 64);
  if (/^[\u0020-\u007e]*$/.test(near)) return near.slice(0, Math.max(0, width));
  let used = 0;
  let length = 0;
  for (const { segment } of new Intl.Segmenter().segment(near)) {
    used += stringWidth(segment);
    if (used > width) break;
    length += segment.length;
  }
  return text.slice(0, length);
}
