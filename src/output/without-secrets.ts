/** Secret variables in results that people read: tables, detail views, CSV, dry runs on a terminal. */
import type { Json } from '../core/json.ts';
import { hideSecrets } from '../core/secret-names.ts';
import { type OutputOptions, rowsOf, type RowsResult } from './view.ts';

/** The row as a table shows it, also where `--fields env.NAME` asks for a variable. */
export const rowWithoutSecrets = (row: Json, { isSecret }: OutputOptions): Json =>
  isSecret === undefined ? row : hideSecrets(row, isSecret);

export function resultWithoutSecrets(result: RowsResult, options: OutputOptions): RowsResult {
  const rows = rowsOf(result);
  const values = rows.map((row) => rowWithoutSecrets(row, options));
  if (values.every((value, at) => value === rows[at])) return result;
  return result.kind === 'many' ? { ...result, values } : { ...result, value: values[0] ?? null };
}
