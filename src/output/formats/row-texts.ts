import type { DataText } from '../../core/safe-text.ts';
import { encodeJson, type Json } from '../../core/json.ts';
import { data } from '../trusted.ts';
import { csvColumns, csvLines } from './csv.ts';
import { escapeJson } from './escape-json.ts';
import { pickFields } from '../fields/fields.ts';

/** A format in which many rows are written one after the other. */
export type RowFormat = 'csv' | 'json' | 'jsonl';

export interface RowTextOptions {
  readonly format: RowFormat;
  /** Dotted paths; by default every member. */
  readonly fields: readonly string[] | undefined;
  /** The members of a row: the header of a CSV. */
  readonly members: readonly string[];
  /** Escapes characters that could mislead a terminal. */
  readonly onTerminal: boolean;
  /** See `CsvOptions`. */
  readonly csvRaw?: boolean | undefined;
}

/** Characters of a text, about. */
const TEXT_LENGTH = 64 * 1024;
/** Rows of a CSV that are formatted together. */
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
