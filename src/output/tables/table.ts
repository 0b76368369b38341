import type { Json } from '../../core/json.ts';
import type { TerminalText } from '../../core/safe-text.ts';
import { loadPaint } from '../text/colour.ts';
import { plainDetail, plainHeader, plainRow, plainTable } from './plain-table.ts';
import { selectColumns, selectSections } from './select-columns.ts';
import { DEFAULT_COLUMNS } from '../text/default-size.ts';
import type { Output } from '../output.ts';
import type { OutputOptions, RowsResult, View } from '../view.ts';
import { resultWithoutSecrets, rowWithoutSecrets } from '../without-secrets.ts';
import type { FormatPrinter, RowPrinter } from '../format-printer.ts';

/** Tables and details: with borders and colour on a terminal, cells separated by tabs elsewhere. */
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
    const { terminalDetail } = await import('./terminal-detail.ts');
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
    ? import('./growing-table.ts').then(({ growingTable }) => growingTable())
    : undefined;
  return {
    rows: async (all: readonly Json[], first) => {
      const values = all.map((row) => rowWithoutSecrets(row, options));
      const columns = selectColumns(view, values, options).filter(
        (column) => options.format === 'wide' || column.wide !== true,
      );
      const facts = { now: output.serviceNow() };
      const [paint, table] = [await loadingPaint, await loadingTable];
      // Lines of a single column need no header.
      const hasHeader = first && columns.length > 1;
      const lines =
        table === undefined
          ? [...(hasHeader ? [plainHeader(columns)] : []), ...values.map((row) => plainRow(columns, row, facts, paint))]
          : table.lines(columns, values, { hasHeader, facts, paint });
      return lines.join('');
    },
  };
}
