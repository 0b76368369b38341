/** Secret variables in results that people read: tables, detail views, CSV, dry runs on a terminal. */
import type { Terminal } from '../core/context.ts';
import type { Json } from '../core/json.ts';
import { hideSecrets } from '../core/secret-names.ts';
import { type OutputOptions, type Result, rowsOf, type RowsResult } from './view.ts';

const HIDDEN_NOTE = 'What is shown as *** is secret; --show-secrets shows it.';

/** The row as a table shows it, also where `--fields env.NAME` asks for a variable. */
export const rowWithoutSecrets = (row: Json, { isSecret }: OutputOptions): Json =>
  isSecret === undefined ? row : hideSecrets(row, isSecret);

export function resultWithoutSecrets(result: RowsResult, options: OutputOptions): RowsResult {
  const rows = rowsOf(result);
  const values = rows.map((row) => rowWithoutSecrets(row, options));
  if (values.every((value, at) => value === rows[at])) return result;
  return result.kind === 'many' ? { ...result, values } : { ...result, value: values[0] ?? null };
}

/** What a person is told of the values that a result hides. Tables of lists have no column of variables by default. */
export function hiddenNotes(result: Result, options: OutputOptions, { output, errors }: Terminal): readonly string[] {
  const isCsv = options.format === 'csv';
  // CSV goes to a file mostly, whose reader sees no note.
  if (!errors || !(output || isCsv) || !(result.kind === 'one' || result.kind === 'many')) return [];
  if (!isCsv && result.kind === 'many' && options.fields === undefined && result.view.columns.length > 0) return [];
  return resultWithoutSecrets(result, options) === result ? [] : [HIDDEN_NOTE];
}
