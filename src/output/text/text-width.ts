import stringWidth from 'string-width';
import { safeText, type SafeText, type TerminalText } from '../../core/safe-text.ts';
import { paintAll } from '../cell-text.ts';
import type { Paint, Piece } from './colour.ts';
import { spaces, styled } from './terminal-text.ts';

/** Returns how many columns of a terminal a text takes: wide characters take two, combining ones none. */
export const textWidth = (text: string): number => stringWidth(text);

export const piecesWidth = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { text }) => sum + stringWidth(text), 0);

export function alignCell(pieces: readonly Piece[], width: number, right: boolean, paint: Paint): TerminalText {
  const gap = spaces(width - piecesWidth(pieces));
  const text = paintAll(pieces, paint);
  return right ? styled`${gap}${text}` : styled`${text}${gap}`;
}

// Not in a template: the build escapes it in text only, and the code cache reads files of ASCII.
const ELLIPSIS = safeText('…');

export function ellipsize(pieces: readonly Piece[], width: number): readonly Piece[] {
  if (piecesWidth(pieces) <= width) return pieces;
  const graphemes = lazySegmenter();
  const kept: Piece[] = [];
  let left = width - 1;
  for (const piece of pieces) {
    const text = safeText(fittingPrefix(piece.text, left, graphemes));
    left -= stringWidth(text);
    kept.push({ ...piece, text });
    if (text.length < piece.text.length) break;
  }
  return [...kept, { ...kept.at(-1), text: ELLIPSIS }];
}

export const fits = (pieces: readonly Piece[], width: number): boolean => {
  const text = pieces.map((piece) => piece.text).join('');
  return fittingPrefix(text, width, lazySegmenter()).length === text.length;
};

/** Breaks text into lines of a width, between words where possible. Takes time linear in the text's length. */
export function wrap(text: SafeText, width: number): readonly SafeText[] {
  const graphemes = lazySegmenter();
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
    if (line !== '' && fittingPrefix(word, width - used, graphemes).length < end) flush();
    let at = 0;
    for (;;) {
      const part =
        fittingPrefix(word.slice(at, end), width, graphemes) || String.fromCodePoint(word.codePointAt(at) ?? 0x20);
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

/** Returns the longest prefix that fits a width. It never splits a grapheme. */
function fittingPrefix(text: string, width: number, graphemes: Segmenter): string {
  // A line of a terminal is shorter than this: a longer text is not segmented to its end.
  const prefix = text.slice(0, width * 16 + 64);
  if (/^[\u0020-\u007e]*$/.test(prefix)) return prefix.slice(0, Math.max(0, width));
  let used = 0;
  let length = 0;
  for (const { segment } of graphemes(prefix)) {
    used += stringWidth(segment);
    if (used > width) break;
    length += segment.length;
  }
  return text.slice(0, length);
}

type Segmenter = (text: string) => Iterable<Intl.SegmentData>;

/** Creates the segmenter at its first use: that takes as long as Node's start, and ASCII text does not need one. */
function lazySegmenter(): Segmenter {
  let segmenter: Intl.Segmenter | undefined;
  return (text) => (segmenter ??= new Intl.Segmenter()).segment(text);
}
