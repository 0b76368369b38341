import type { Json } from '../../core/json.ts';
import { safeText, say, type TerminalText } from '../../core/safe-text.ts';
import { cellPieces, headerPieces, isEmpty, plainPieces } from '../cell-text.ts';
import { fieldColumns, memberColumns, rowWithoutSecrets } from '../fields.ts';
import { loadPaint, type Paint, type Piece, unpainted } from '../text/colour.ts';
import { DEFAULT_COLUMNS, joinText } from '../text/terminal-text.ts';
import { trusted } from '../trusted.ts';
import type {
  Column,
  Facts,
  FormatPrinter,
  Output,
  OutputOptions,
  RowPrinter,
  RowsResult,
  Section,
  Shown,
  View,
} from '../view.ts';

/** Escapes tabs and line feeds in cells, so that `awk -F'\t'` and `cut -f` work. */
export const plainTable = (
  columns: readonly Column[],
  rows: readonly Json[],
  facts: Facts,
  paint: Paint,
): TerminalText => (rows.length === 0 ? say`` : plainLines(columns, rows, true, facts, paint));

function plainLines(
  columns: readonly Column[],
  rows: readonly Json[],
  hasHeader: boolean,
  facts: Facts,
  paint: Paint,
): TerminalText {
  const header = columns.map(({ header: text }) => cellInPipe(text, unpainted));
  const lines = rows.map((row) => columns.map(({ show }) => cellInPipe(show(row, facts), paint)));
  return tabbed([...(hasHeader ? [header] : []), ...lines]);
}

/** Items are separated by commas. */
const cellInPipe = (shown: Shown, paint: Paint): TerminalText =>
  joinText(
    plainPieces(shown).map(({ text, tone }) => paint(text, tone)),
    ',',
  );

function tabbed(lines: readonly (readonly TerminalText[])[]): TerminalText {
  let text = '';
  for (const cells of lines) text += `${cells.join('\t')}\n`;
  return trusted(text);
}

/** Labels begin with the section's title, so that they are unique. Each item of an array has its own line. */
function plainDetail(sections: readonly Section[], paint: Paint): TerminalText {
  const all: TerminalText[][] = [];
  for (const { title, lines } of sections)
    for (const { label, value } of lines) {
      const name = safeText(title === undefined ? label : `${title} ${label}`);
      for (const { text, tone } of plainPieces(value)) all.push([name, paint(text, tone)]);
    }
  return tabbed(all);
}

function selectColumns(view: View, rows: readonly Json[], { fields }: OutputOptions): readonly Column[] {
  if (fields !== undefined) return fieldColumns(fields);
  return view.columns.length > 0 ? view.columns : memberColumns(rows);
}

function selectSections(view: View, row: Json, options: OutputOptions, facts: Facts): readonly Section[] {
  const isWhole = options.fields === undefined;
  const columnLines = (): Section['lines'] =>
    selectColumns(view, [row], options).map(({ header, show }) => ({
      label: header === header.toUpperCase() ? header.toLowerCase() : header,
      value: show(row, facts),
    }));
  const sections = (isWhole ? view.detail?.(row, facts) : undefined) ?? [{ lines: columnLines() }];
  if (!isWhole) return sections;
  return sections.map((section) => ({ ...section, lines: section.lines.filter(({ value }) => !isEmpty(value)) }));
}

export const tablePrinter: FormatPrinter = {
  result: renderTable,
  rows: growingRows,
};

async function* renderTable(
  result: RowsResult,
  options: OutputOptions,
  output: Output,
): AsyncGenerator<TerminalText, void, void> {
  const { terminal } = output;
  const facts = { now: output.serviceNow() };
  const paint = await loadPaint(terminal.colour.output);
  if (result.kind === 'one') {
    const sections = selectSections(result.view, rowWithoutSecrets(result.value, options), options, facts);
    if (!terminal.output) return yield plainDetail(sections, paint);
    const { terminalDetail } = await import('./terminal-table.ts');
    return yield terminalDetail(sections, { width: terminal.columns ?? DEFAULT_COLUMNS, paint });
  }
  const rows = result.values.map((row) => rowWithoutSecrets(row, options));
  const columns = selectColumns(result.view, rows, options);
  if (!terminal.output) return yield plainTable(ordinary(columns, options), rows, facts, paint);
  const { terminalTable } = await import('./terminal-table.ts');
  const width = terminal.columns ?? DEFAULT_COLUMNS;
  yield await terminalTable(columns, rows, { facts, width, wide: options.format === 'wide', paint });
}

const ordinary = (columns: readonly Column[], { format }: OutputOptions): readonly Column[] =>
  columns.filter(({ wide }) => format === 'wide' || wide !== true);

/** On a terminal, a column is as wide as its widest cell so far. */
function growingRows(view: View, options: OutputOptions, output: Output): RowPrinter {
  const loadingPaint = loadPaint(output.terminal.colour.output);
  const widths: number[] = [];
  return {
    rows: async (all: readonly Json[], first) => {
      const values = all.map((row) => rowWithoutSecrets(row, options));
      const columns = ordinary(selectColumns(view, values, options), options);
      const facts = { now: output.serviceNow() };
      const paint = await loadingPaint;
      const hasHeader = first && columns.length > 1;
      if (!output.terminal.output) return plainLines(columns, values, hasHeader, facts, paint);
      // A table in a pipe needs no widths.
      const { alignCell, piecesWidth } = await import('../text/text-width.ts');
      const lines = [
        ...(hasHeader ? [columns.map(headerPieces)] : []),
        ...values.map((row) => columns.map(({ show }) => cellPieces(show(row, facts)))),
      ];
      for (const cells of lines)
        for (const [at, pieces] of cells.entries()) widths[at] = Math.max(widths[at] ?? 0, piecesWidth(pieces));
      const aligned = (pieces: readonly Piece[], at: number): TerminalText =>
        alignCell(pieces, widths[at] ?? 0, columns[at]?.right === true, paint);
      return joinText(lines.map((cells) => trusted(`${joinText(cells.map(aligned), '  ').trimEnd()}\n`)));
    },
  };
}
