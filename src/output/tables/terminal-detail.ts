import { safeText, say, type SafeText, type TerminalText } from '../../core/safe-text.ts';
import type { Section, Shown } from '../view.ts';
import { cellLines, cellPieces, paintAll } from '../cells/cell-text.ts';
import type { Paint, Piece } from '../text/colour.ts';
import { joinText, spaces, styled } from '../text/terminal-text.ts';
import { fits, textWidth, wrap } from '../text/text-width.ts';
import { wrapParts } from '../text/wrap-message.ts';

interface DetailOptions {
  /** Columns of the terminal. */
  readonly width: number;
  readonly paint: Paint;
}

/** The minimum width of a value, however long the labels are. */
const MIN_VALUE_WIDTH = 16;

/**
 * Renders one row for a terminal: sections with titles, labels in one aligned column, values wrapped to the width, each
 * item of an array on a line of its own.
 */
export function terminalDetail(sections: readonly Section[], { width, paint }: DetailOptions): TerminalText {
  const shown = sections.filter(({ lines }) => lines.length > 0);
  const margin = shown.some(({ title }) => title !== undefined) ? 2 : 0;
  const labels = shown.flatMap(({ lines }) => lines.map(({ label }) => textWidth(safeLabel(label))));
  const labelWidth = Math.max(0, Math.min(Math.max(0, ...labels), width - margin - 2 - MIN_VALUE_WIDTH));
  const valueWidth = Math.max(1, width - margin - labelWidth - 2);
  const blocks = shown.map(({ title, lines }) => {
    const body = lines.flatMap(({ label, value }) => {
      const values = valueLines(value, valueWidth, paint);
      return labelledLines(safeLabel(label), values, labelWidth, paint).map((line) => styled`${spaces(margin)}${line}`);
    });
    return joinText([...(title === undefined ? [] : [paint(safeLabel(title), 'strong')]), ...body, say``], '\n');
  });
  return joinText(blocks, margin > 0 ? '\n' : '');
}

/** Puts the label before the first value, or on a line above it when the label is too long for its column. */
function labelledLines(
  label: SafeText,
  values: readonly TerminalText[],
  labelWidth: number,
  paint: Paint,
): readonly TerminalText[] {
  const gap = spaces(labelWidth + 2);
  const own = textWidth(label);
  if (own > labelWidth) return [paint(label, 'quiet'), ...values.map((value) => styled`${gap}${value}`)];
  const first = styled`${paint(label, 'quiet')}${spaces(labelWidth - own + 2)}`;
  return values.map((value, at) => styled`${at === 0 ? first : gap}${value}`);
}

/** The lines of a value. A command in it is not broken. */
function valueLines(value: Shown, width: number, paint: Paint): readonly TerminalText[] {
  const parts = typeof value === 'object' && 'parts' in value ? value.parts : undefined;
  if (parts !== undefined) return wrapParts(parts, width).map((line) => paint(line, 'plain'));
  return cellLines(value, { terminal: true }).flatMap((item) => wrapValue(item, width, paint));
}

function wrapValue(pieces: readonly Piece[], width: number, paint: Paint): readonly TerminalText[] {
  if (fits(pieces, width)) return [paintAll(pieces, paint)];
  const tone = pieces[0]?.tone;
  return wrap(textOf(pieces), width).map((line) => paint(line, tone));
}

const safeLabel = (label: string): SafeText => textOf(cellPieces(label, { terminal: true }));

const textOf = (pieces: readonly Piece[]): SafeText => safeText(pieces.map(({ text }) => text).join(''));
