import type { Json } from '../../core/json.ts';
import { say, type TerminalText } from '../../core/safe-text.ts';
import { drawn, joined } from '../layout/drawn.ts';
import { inline, itemLines, paintAll } from '../layout/cell-text.ts';
import { unpainted, type Paint } from '../layout/colour.ts';
import type { Column, Facts, Section } from '../view.ts';

/**
 * Tables and details where there is no terminal: one line a row, a tab between cells, nothing padded. A tab or a line
 * feed inside a cell is a visible escape, so `awk -F'\t'` and `cut -f` see the cells as they are. Colour only where
 * FORCE_COLOR asks for it.
 */
export const plainTable = (
  columns: readonly Column[],
  rows: readonly Json[],
  facts: Facts,
  paint: Paint,
): TerminalText =>
  rows.length === 0
    ? say``
    : joined([plainHeader(columns), ...rows.map((row) => plainRow(columns, row, facts, paint))]);

export const plainHeader = (columns: readonly Column[]): TerminalText =>
  line(columns.map(({ header }) => paintAll(inline(header, { drawn: false }), unpainted)));

export const plainRow = (columns: readonly Column[], row: Json, facts: Facts, paint: Paint): TerminalText =>
  line(columns.map(({ show }) => paintAll(inline(show(row, facts), { drawn: false }), paint)));

/**
 * One row in full: a label, a tab, a value. A label carries its section's title before it, so that each is told apart;
 * an array takes a line for each item, under the same label.
 */
export const plainDetail = (sections: readonly Section[], paint: Paint): TerminalText =>
  joined(
    sections.flatMap(({ title, lines }) =>
      lines.flatMap(({ label, value }) => {
        const name = inline(title === undefined ? label : `${title} ${label}`, { drawn: false });
        return itemLines(value, { drawn: false }).map((item) => line([paintAll(name, paint), paintAll(item, paint)]));
      }),
    ),
  );

const line = (cells: readonly TerminalText[]): TerminalText => drawn`${joined(cells, '\t')}\n`;
