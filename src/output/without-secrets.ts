/** Secret variables in results that people read: tables, detail views, CSV, dry runs on a terminal. */
import type { Json } from '../core/json.ts';
import { hideSecrets } from '../core/secret-names.ts';
import type { OutputOptions, RowsResult } from './view.ts';

/** The row as a table shows it, also where `--fields env.NAME` asks for a variable. */
export const rowWithoutSecrets = (row: Json, { isSecret }: OutputOptions): Json =>
  isSecret === undefined ? row : hideSecrets(row, isSecret);

export function resultWithoutSecrets(result: RowsResult, options: OutputOptions): RowsResult {
  if (result.kind === 'one') return { ...result, value: rowWithoutSecrets(result.value, options) };
  return { ...result, values: result.values.map((row) => rowWithoutSecrets(row, options)) };
}
