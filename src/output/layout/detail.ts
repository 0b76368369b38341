import { safeText, say, type SafeText, type TerminalText } from '../../core/safe-text.ts';
import { drawn, joined, spaces } from './drawn.ts';
import { fits, textWidth, wrap } from './text-width.ts';
import { inline, itemLines, paintAll } from './cell-text.ts';
import type { Paint, Piece } from './colour.ts';
import type { Section } from '../view.ts';

interface DetailOptions {
  /** Columns of the terminal. */
  readonly width: number;
  readonly paint: Paint;
}

/** A value is given at least this much room, however long the labels are. */
const LEAST = 16;

/**
 * One row in full, for a terminal: titled sections, labels in one aligned column, values wrapped to the width, an
 * array's items one below the other.
 */
export function terminalDetail(sections: readonly Section[], { width, paint }: DetailOptions): TerminalText {
  const shown = sections.filter(({ lines }) => lines.length > 0);
  const margin = shown.some(({ title }) => title !== undefined) ? 2 : 0;
  const labels = shown.flatMap(({ lines }) => lines.map(({ label }) => textWidth(harmless(label))));
  const column = Math.max(0, Math.min(Math.max(0, ...labels), width - margin - 2 - LEAST));
  const room = Math.max(1, width - margin - column - 2);
  const blocks = shown.map(({ title, lines }) => {
    const body = lines.flatMap(({ label, value }) => {
      const values = itemLines(value, { drawn: true }).flatMap((item) => wrapped(item, room, paint));
      return labelled(harmless(label), values, column, paint).map((line) => drawn`${spaces(margin)}${line}`);
    });
    return joined([...(title === undefined ? [] : [paint(harmless(title), 'strong')]), ...body, say``], '\n');
  });
  return joined(blocks, margin > 0 ? '\n' : '');
}

/** The label stands before its first value, or above it where it is too long for its column. */
function labelled(
  label: SafeText,
  values: readonly TerminalText[],
  column: number,
  paint: Paint,
): readonly TerminalText[] {
  const gap = spaces(column + 2);
  const own = textWidth(label);
  if (own > column) return [paint(label, 'quiet'), ...values.map((value) => drawn`${gap}${value}`)];
  const first = drawn`${paint(label, 'quiet')}${spaces(column - own + 2)}`;
  return values.map((value, at) => drawn`${at === 0 ? first : gap}${value}`);
}

function wrapped(pieces: readonly Piece[], room: number, paint: Paint): readonly TerminalText[] {
  if (fits(pieces, room)) return [paintAll(pieces, paint)];
  const tone = pieces[0]?.tone;
  return wrap(textOf(pieces), room).map((line) => paint(line, tone));
}

const harmless = (label: string): SafeText => textOf(inline(label, { drawn: true }));

const textOf = (pieces: readonly Piece[]): SafeText => safeText(pieces.map(({ text }) => text).join(''));
