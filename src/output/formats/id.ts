import type { Json } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { plainText } from '../cells.ts';
import { type FormatPrinter, type OutputOptions, rowsOf, type View } from '../view.ts';
import { fieldAt } from '../fields.ts';

/** One id a line, and no line for a row without an id; with `--fields`, the fields of each row on one line, separated by tabs. */
export const idPrinter: FormatPrinter = {
  result: function* (result, { fields }) {
    yield idLines(result.view, rowsOf(result), fields);
  },
  rows: (view, { fields }) => ({ rows: (values) => idLines(view, values, fields) }),
};

const idLines = (view: View, rows: readonly Json[], fields: OutputOptions['fields']): string =>
  rows.map((row) => idLine(view, row, fields)).join('');

function idLine(view: View, row: Json, fields: OutputOptions['fields']): string {
  const id = view.id(row);
  if (fields === undefined && id === '') return '';
  const values = fields === undefined ? [id] : fields.map((path) => plainText(fieldAt(row, path)));
  // Line feeds and tabs are escaped, so that a row is one line.
  return `${values.map((value) => safeText(value)).join('\t')}\n`;
}
