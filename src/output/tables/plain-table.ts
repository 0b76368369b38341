import type { Json } from '../../core/json.ts';
import { say, type TerminalText } from '../../core/safe-text.ts';
import type { Column, Facts, Section } from '../view.ts';
import { cellLines, cellPieces, paintAll } from '../cells/cell-text.ts';
import { unpainted, type Paint } from '../text/colour.ts';
import { joinText, styled } from '../text/terminal-text.ts';

/**
 * Renders a table for a file or a pipe: one line a row, cells separated by tabs, without padding. Tabs and line feeds in
 * a cell are escaped, so that `awk -F'\t'` and `cut -f` find the cells. It has colour only when FORCE_COLOR asks for it.
 */
export const plainTable = (
  columns: readonly Column[],
  rows: readonly Json[],
  facts: Facts,
  paint: Paint,
): TerminalText =>
  rows.length === 0
    ? say``
    : joinText([plainHeader(columns), ...rows.map((row) => plainRow(columns, row, facts, paint))]);

export const plainHeader = (columns: readonly Column[]): TerminalText =>
  line(columns.map(({ header }) => paintAll(cellPieces(header, { terminal: false }), unpainted)));

export const plainRow = (columns: readonly Column[], row: Json, facts: Facts, paint: Paint): TerminalText =>
  line(columns.map(({ show }) => paintAll(cellPieces(show(row, facts), { terminal: false }), paint)));

/**
 * Renders one row for a file or a pipe: on each line a label, a tab and a value. A label begins with the title of its
 * section, so that labels are unique; each item of an array is a line with the same label.
 */
export const plainDetail = (sections: readonly Section[], paint: Paint): TerminalText =>
  joinText(
    sections.flatMap(({ title, lines }) =>
      lines.flatMap(({ label, value }) => {
        const name = cellPieces(title === undefined ? label : `${title} ${label}`, { terminal: false });
        return cellLines(value, { terminal: false }).map((item) =>
          line([paintAll(name, paint), paintAll(item, paint)]),
        );
      }),
    ),
  );

const line = (cells: readonly TerminalText[]): TerminalText => styled`${joinText(cells, '\t')}\n`;
