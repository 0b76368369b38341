import { Exact, encodeJson, isObject, type Json } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { fieldAt, memberNames, memberOf } from './fields.ts';
import type { View } from '../view.ts';

export interface CsvOptions {
  /** Paths of `--fields`; undefined takes every member that any of the rows has. */
  readonly fields: readonly string[] | undefined;
  /** A person's screen: harmful characters become visible escapes. */
  readonly onScreen: boolean;
}

/**
 * The columns of rows: the fields asked for, or the members there are; rows that have none are a column by themselves.
 * Where there are no rows, the members that the view knows of: a reader expects a header whatever was found.
 */
export function csvColumns(
  rows: readonly Json[],
  fields: readonly string[] | undefined,
  { members = [] }: Pick<View, 'members'>,
): readonly string[] {
  if (fields !== undefined) return fields;
  if (rows.length === 0) return members;
  const names = memberNames(rows);
  return names.length === 0 && rows.some((row) => !isObject(row)) ? [ITSELF] : names;
}

/** The column of rows that are no objects. */
const ITSELF = 'value';

/**
 * Rows as CSV (RFC 4180, lines end with a line feed): members as the service has them, nested ones as compact JSON,
 * null and missing ones empty. Text that a spreadsheet would run as a formula gets an apostrophe before it, because
 * names come from others and CSV is what spreadsheets open; who needs the text as it is takes `-o json`.
 */
export async function csvLines(
  columns: readonly string[],
  rows: readonly Json[],
  options: CsvOptions & { readonly header: boolean },
): Promise<string> {
  if (columns.length === 0) return '';
  const { stringify } = await import('csv-stringify/sync');
  const member = (row: Json, column: string): Json | undefined =>
    column === ITSELF && !isObject(row) ? row : memberOf(row, column);
  const valueAt = options.fields === undefined ? member : fieldAt;
  const lines = rows.map((row) => columns.map((column) => valueAt(row, column)));
  const cells = [...(options.header ? [columns] : []), ...lines];
  return stringify(cells, {
    cast: {
      string: (text) => ({ value: options.onScreen ? safeText(text, true) : text, escape_formulas: true }),
      boolean: String,
      number: (value) => encodeJson(value),
      object: (value) => (value instanceof Exact ? value.text : safe(encodeJson(value as Json), options.onScreen)),
    },
  });
}

const safe = (json: string, onScreen: boolean): string => (onScreen ? safeText(json) : json);
