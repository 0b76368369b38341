import stringWidth from 'string-width';
import { safeText, say, type SafeText } from '../../core/safe-text.ts';
import type { Piece } from './colour.ts';

/** Columns of a terminal that text takes: wide characters take two, combining ones none. */
export const textWidth = (text: string): number => stringWidth(text);

export const piecesWidth = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { text }) => sum + stringWidth(text), 0);

/** Pieces cut to a width, the cut shown by an ellipsis. */
export function ellipsize(pieces: readonly Piece[], width: number): readonly Piece[] {
  if (piecesWidth(pieces) <= width) return pieces;
  const characters = splitter();
  const kept: Piece[] = [];
  let left = width - 1;
  for (const piece of pieces) {
    const text = safeText(head(piece.text, left, characters));
    left -= stringWidth(text);
    kept.push({ ...piece, text });
    if (text.length < piece.text.length) break;
  }
  return [...kept, { ...kept.at(-1), text: say`…` }];
}

/** Whether pieces fit a width; a long text is not measured to its end to know. */
export const fits = (pieces: readonly Piece[], width: number): boolean => {
  const text = pieces.map((piece) => piece.text).join('');
  return head(text, width, splitter()).length === text.length;
};

/** Text broken into lines of a width, between words where it can be. Linear in the text, whatever is in it. */
export function wrap(text: SafeText, width: number): readonly SafeText[] {
  const characters = splitter();
  const lines: string[] = [];
  let line = '';
  let used = 0;
  const flush = (): void => {
    lines.push(line.trimEnd());
    line = '';
    used = 0;
  };
  for (const word of text.split(/(?<= )(?! )/)) {
    const end = word.trimEnd().length;
    if (line !== '' && head(word, width - used, characters).length < end) flush();
    let at = 0;
    for (;;) {
      const part = head(word.slice(at, end), width, characters) || String.fromCodePoint(word.codePointAt(at) ?? 0x20);
      if (at + part.length >= end) break;
      lines.push(part);
      at += part.length;
    }
    line += word.slice(at);
    used += stringWidth(word.slice(at));
  }
  if (line.trimEnd() !== '' || lines.length === 0) flush();
  return lines.map((each) => safeText(each));
}

/** As much of the beginning as a width holds, never half a character as a person sees it. */
function head(text: string, width: number, characters: Splitter): string {
  // What a terminal's line can hold lies well within this; a longer text is not walked to its end.
  const near = text.slice(0, width * 16 + 64);
  if (/^[\u0020-\u007e]*$/.test(near)) return near.slice(0, Math.max(0, width));
  let used = 0;
  let length = 0;
  for (const { segment } of characters(near)) {
    used += stringWidth(segment);
    if (used > width) break;
    length += segment.length;
  }
  return text.slice(0, length);
}

/** Splits text into characters as a person sees them. */
type Splitter = (text: string) => Iterable<Intl.SegmentData>;

/** To make a segmenter takes as long as Node's whole start, and plain ASCII never needs one: made when first used. */
function splitter(): Splitter {
  let made: Intl.Segmenter | undefined;
  return (text) => (made ??= new Intl.Segmenter()).segment(text);
}
