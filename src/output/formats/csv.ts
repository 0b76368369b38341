import { withApostrophe } from '../../core/text/csv-formulas.ts';
import { Exact, encodeJson, isObject, type Json } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { rowsOf, type OutputOptions, type View } from '../view.ts';
import { fieldAt, memberNames, memberOf } from '../fields/fields.ts';
import type { FormatPrinter } from '../format-printer.ts';
import { resultWithoutSecrets, rowWithoutSecrets } from '../without-secrets.ts';
import { groupsOf } from '../fields/groups.ts';

export interface CsvOptions {
  /** Paths of `--fields`; undefined takes every member that any of the rows has. */
  readonly fields: OutputOptions['fields'];
  /** Escapes characters that could mislead a terminal. */
  readonly onTerminal: boolean;
  /** Prints cells as they are: no apostrophe is put before what a spreadsheet would run as a formula. */
  readonly csvRaw?: boolean | undefined;
}

/** A header line, then one line per row. Secret variables are hidden as in tables: spreadsheets are passed on and kept. */
export const csvPrinter: FormatPrinter = {
  result: async function* (whole, given, { terminal }) {
    const { fields, csvRaw } = given;
    const result = resultWithoutSecrets(whole, given);
    const rows = rowsOf(result);
    const columns = csvColumns(rows, fields, result.view);
    const options = { fields, csvRaw, onTerminal: terminal.output };
    yield await csvLines(columns, [], { ...options, header: true });
    for (const group of groupsOf(rows)) yield await csvLines(columns, group, { ...options, header: false });
  },
  rows: (view, given, { terminal }) => {
    const { fields, csvRaw } = given;
    const options = { fields, csvRaw, onTerminal: terminal.output };
    const leftOut = new Set<string>();
    let columns: readonly string[] | undefined;
    return {
      rows: (whole, first) => {
        const values = whole.map((row) => rowWithoutSecrets(row, given));
        columns ??= growingColumns(values, fields, view);
        if (fields === undefined && !first)
          for (const name of memberNames(values)) if (!columns.includes(name)) leftOut.add(name);
        return csvLines(columns, values, { ...options, header: first });
      },
      end: (empty) => (empty ? csvLines(csvColumns([], fields, view), [], { ...options, header: true }) : ''),
      leftOut: () => [...leftOut],
    };
  },
};

/** The columns of rows that arrive in groups: those of the first group, then the other members that the view knows. */
function growingColumns(
  values: readonly Json[],
  fields: OutputOptions['fields'],
  view: Pick<View, 'members'>,
): readonly string[] {
  const columns = csvColumns(values, fields, view);
  return fields === undefined && values.some(isObject) ? [...new Set([...columns, ...(view.members ?? [])])] : columns;
}

/**
 * Returns the columns of rows: the fields asked for, or every member that a row has. Without rows these are the members
 * that the view lists, so that there is a header in any case. Rows that are not objects are one column.
 */
export function csvColumns(
  rows: readonly Json[],
  fields: OutputOptions['fields'],
  { members = [] }: Pick<View, 'members'>,
): readonly string[] {
  if (fields !== undefined) return fields;
  if (rows.length === 0) return members;
  const names = memberNames(rows);
  return names.length === 0 && rows.some((row) => !isObject(row)) ? [VALUE_COLUMN] : names;
}

/** The column of rows that are not objects. */
const VALUE_COLUMN = 'value';

/**
 * Renders rows as CSV (RFC 4180, lines end with a line feed): nested members as compact JSON, null and missing ones
 * empty. An apostrophe is put before text that a spreadsheet would run as a formula, because other users may have
 * written it; with `csvRaw` the text is unchanged, as in JSON.
 */
export async function csvLines(
  columns: readonly string[],
  rows: readonly Json[],
  options: CsvOptions & { readonly header: boolean },
): Promise<string> {
  if (columns.length === 0) return '';
  const { stringify } = await import('csv-stringify/sync');
  const member = (row: Json, column: string): Json | undefined =>
    column === VALUE_COLUMN && !isObject(row) ? row : memberOf(row, column);
  const valueAt = options.fields === undefined ? member : fieldAt;
  const escapeCell = (json: string): string => (options.onTerminal ? safeText(json) : json);
  const textCell = (text: string): string => {
    const cell = options.csvRaw === true ? text : withApostrophe(text);
    return options.onTerminal ? safeText(cell, true) : cell;
  };
  const format = {
    cast: {
      string: textCell,
      boolean: String,
      number: (value: number) => encodeJson(value),
      object: (value: unknown) => (value instanceof Exact ? value.text : escapeCell(encodeJson(value as Json))),
    },
  };
  const cells = rows.map((row) => columns.map((column) => valueAt(row, column)));
  return stringify(options.header ? [columns, ...cells] : cells, format);
}
