import type { Json } from '../../core/json.ts';
import { say, type TerminalText } from '../../core/safe-text.ts';
import { cellLines, cellPieces, paintAll } from '../cell-text.ts';
import { fieldColumns, memberColumns } from '../fields.ts';
import { loadPaint, type Paint, unpainted } from '../text/colour.ts';
import { DEFAULT_COLUMNS, joinText, styled } from '../text/terminal-text.ts';
import type {
  Column,
  Facts,
  FormatPrinter,
  Output,
  OutputOptions,
  RowPrinter,
  RowsResult,
  Section,
  View,
} from '../view.ts';
import { resultWithoutSecrets, rowWithoutSecrets } from '../without-secrets.ts';

/** Escapes tabs and line feeds in cells, so that `awk -F'\t'` and `cut -f` work. */
export const plainTable = (
  columns: readonly Column[],
  rows: readonly Json[],
  facts: Facts,
  paint: Paint,
): TerminalText =>
  rows.length === 0
    ? say``
    : joinText([plainHeader(columns), ...rows.map((row) => plainRow(columns, row, facts, paint))]);

const plainHeader = (columns: readonly Column[]): TerminalText =>
  line(columns.map(({ header }) => paintAll(cellPieces(header, { terminal: false }), unpainted)));

const plainRow = (columns: readonly Column[], row: Json, facts: Facts, paint: Paint): TerminalText =>
  line(columns.map(({ show }) => paintAll(cellPieces(show(row, facts), { terminal: false }), paint)));

/** Labels begin with the section's title, so that they are unique. Each item of an array has its own line. */
const plainDetail = (sections: readonly Section[], paint: Paint): TerminalText =>
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

function selectColumns(view: View, rows: readonly Json[], { fields }: OutputOptions): readonly Column[] {
  if (fields !== undefined) return fieldColumns(fields);
  return view.columns.length > 0 ? view.columns : memberColumns(rows);
}

function selectSections(view: View, row: Json, options: OutputOptions, facts: Facts): readonly Section[] {
  if (options.fields === undefined && view.detail !== undefined) return view.detail(row, facts);
  const lines = selectColumns(view, [row], options).map(({ header, show }) => ({
    label: labelOf(header),
    value: show(row, facts),
  }));
  return [{ lines }];
}

const labelOf = (header: string): string => (header === header.toUpperCase() ? header.toLowerCase() : header);

export const tablePrinter: FormatPrinter = {
  result: async function* (result, options, output) {
    yield await renderTable(result, options, output);
  },
  rows: growingRows,
};

async function renderTable(whole: RowsResult, options: OutputOptions, output: Output): Promise<TerminalText> {
  const { terminal } = output;
  const result = resultWithoutSecrets(whole, options);
  const facts = { now: output.serviceNow() };
  const paint = await loadPaint(terminal.colour.output);
  const wide = options.format === 'wide';
  const width = terminal.columns ?? DEFAULT_COLUMNS;
  if (result.kind === 'one') {
    const sections = selectSections(result.view, result.value, options, facts);
    if (!terminal.output) return plainDetail(sections, paint);
    const { terminalDetail } = await import('./terminal-table.ts');
    return terminalDetail(sections, { width, paint });
  }
  const columns = selectColumns(result.view, result.values, options);
  if (!terminal.output)
    return plainTable(wide ? columns : columns.filter((column) => column.wide !== true), result.values, facts, paint);
  const { terminalTable } = await import('./terminal-table.ts');
  return await terminalTable(columns, result.values, { facts, width, wide, paint });
}

function growingRows(view: View, options: OutputOptions, output: Output): RowPrinter {
  const loadingPaint = loadPaint(output.terminal.colour.output);
  const loadingTable = output.terminal.output
    ? import('./terminal-table.ts').then(({ growingTable }) => growingTable())
    : undefined;
  return {
    rows: async (all: readonly Json[], first) => {
      const values = all.map((row) => rowWithoutSecrets(row, options));
      const columns = selectColumns(view, values, options).filter(
        (column) => options.format === 'wide' || column.wide !== true,
      );
      const facts = { now: output.serviceNow() };
      const [paint, table] = [await loadingPaint, await loadingTable];
      const hasHeader = first && columns.length > 1;
      const lines =
        table === undefined
          ? [...(hasHeader ? [plainHeader(columns)] : []), ...values.map((row) => plainRow(columns, row, facts, paint))]
          : table.lines(columns, values, { hasHeader, facts, paint });
      return lines.join('');
    },
  };
}
