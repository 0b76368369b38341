import { encodeJson, Exact, isObject, type Json, memberOf } from '../../core/json.ts';
import { type DataText, safeText } from '../../core/safe-text.ts';
import { fieldAt, groupsOf, memberNames, pickFields, rowWithoutSecrets } from '../fields.ts';
import { escapeJson } from './json.ts';
import { data } from '../trusted.ts';
import { type FormatPrinter, type OutputOptions, rowsOf, type View } from '../view.ts';

interface CsvOptions {
  readonly fields: OutputOptions['fields'];
  readonly onTerminal: boolean;
}

/** A header line, then one line per row. Secret variables are hidden as in tables: spreadsheets are passed on and kept. */
export const csvPrinter: FormatPrinter = {
  result: async function* (result, given, { terminal }) {
    const { fields } = given;
    const rows = rowsOf(result).map((row) => rowWithoutSecrets(row, given));
    const columns = csvColumns(rows, fields, result.view);
    const options = { fields, onTerminal: terminal.output };
    yield await csvLines(columns, [], { ...options, header: true });
    for (const group of groupsOf(rows)) yield await csvLines(columns, group, { ...options, header: false });
  },
  rows: (view, given, { terminal }) => {
    const { fields } = given;
    const options = { fields, onTerminal: terminal.output };
    const leftOut = new Set<string>();
    let columns: readonly string[] | undefined;
    return {
      rows: (whole, first) => {
        const values = whole.map((row) => rowWithoutSecrets(row, given));
        columns ??= csvColumns(values, fields, view);
        if (fields === undefined && !first)
          for (const name of memberNames(values)) if (!columns.includes(name)) leftOut.add(name);
        return csvLines(columns, values, { ...options, header: first });
      },
      end: (empty) => (empty ? csvLines(csvColumns([], fields, view), [], { ...options, header: true }) : ''),
      leftOut: () => [...leftOut],
    };
  },
};

/** The members that the view lists, whatever the rows are; then others that the service sent. */
export function csvColumns(
  rows: readonly Json[],
  fields: OutputOptions['fields'],
  { members = [] }: Pick<View, 'members'>,
): readonly string[] {
  if (fields !== undefined) return fields;
  if (rows.length > 0 && !rows.some(isObject)) return [VALUE_COLUMN];
  return [...new Set([...members, ...memberNames(rows)])];
}

const VALUE_COLUMN = 'value';

/** RFC 4180 with line feeds. Formulas get an apostrophe: others may have written them. */
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
    const cell = withApostrophe(text);
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

export type RowFormat = 'csv' | 'json' | 'jsonl';

interface RowTextOptions {
  readonly format: RowFormat;
  /** Dotted paths; by default every member. */
  readonly fields: readonly string[] | undefined;
  readonly members: readonly string[];
  readonly onTerminal: boolean;
}

const TEXT_LENGTH = 64 * 1024;
const CSV_ROWS = 500;

/** Formats rows that come in groups, for writing, in bounded memory. JSON is one array with a row a line. Fails as the rows do. */
export async function* rowTexts(
  groups: AsyncIterable<Iterable<Json>>,
  options: RowTextOptions,
): AsyncGenerator<DataText> {
  yield* options.format === 'csv' ? csvTexts(groups, options) : jsonTexts(groups, options);
}

async function* csvTexts(
  groups: AsyncIterable<Iterable<Json>>,
  { members, ...options }: RowTextOptions,
): AsyncGenerator<DataText> {
  const columns = csvColumns([], options.fields, { members });
  yield data(await csvLines(columns, [], { ...options, header: true }));
  const format = async (rows: readonly Json[]): Promise<DataText> =>
    data(await csvLines(columns, rows, { ...options, header: false }));
  let rows: Json[] = [];
  for await (const group of groups)
    for (const row of group) {
      rows.push(row);
      if (rows.length < CSV_ROWS) continue;
      yield await format(rows);
      rows = [];
    }
  if (rows.length > 0) yield await format(rows);
}

async function* jsonTexts(
  groups: AsyncIterable<Iterable<Json>>,
  { format, fields, onTerminal }: RowTextOptions,
): AsyncGenerator<DataText> {
  const [open, between, close] = format === 'json' ? ['[', ',\n', ']\n'] : ['', '\n', ''];
  let text = open;
  let isFirst = true;
  for await (const group of groups)
    for (const row of group) {
      const line = encodeJson(fields === undefined ? row : pickFields(row, fields));
      text += `${isFirst ? '' : between}${onTerminal ? escapeJson(line) : line}`;
      isFirst = false;
      if (text.length < TEXT_LENGTH) continue;
      yield data(text);
      text = '';
    }
  yield data(`${text}${isFirst || format === 'json' ? '' : '\n'}${close}`);
}

/** Fullwidth characters, tabs and line breaks count too: a spreadsheet finds the formula behind them. */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

export const withApostrophe = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
