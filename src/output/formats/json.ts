import { itemSources, memberSource } from '../../core/json-source.ts';
import { encodeJson, type Json } from '../../core/json.ts';
import { rowsOf, type OutputOptions, type RowsResult } from '../view.ts';
import { escapeJson } from './escape-json.ts';
import { pickFields } from './fields.ts';
import type { FormatPrinter } from './format-printer.ts';
import { canonicalRows, canonicalValue, indentCanonical, type Canonical } from './unchanged-json.ts';
import { compactJson, indentJson } from './json-layout.ts';

type Fields = OutputOptions['fields'];

/** One indented document; rows that arrive one at a time form one array. */
export const jsonPrinter: FormatPrinter = {
  result: (result, { fields }, { terminal }) => `${jsonDocument(result, fields, terminal.output)}\n`,
  rows: (_view, { fields }, { terminal }) => ({
    row: (value, first) => {
      const text = encodeJson(pick(value, fields), 2);
      const shown = terminal.output ? escapeJson(text) : text;
      return `${first ? '[' : ','}\n  ${shown.replaceAll('\n', '\n  ')}`;
    },
    end: (empty) => (empty ? '[]\n' : '\n]\n'),
  }),
};

/** One compact JSON value on each line. */
export const jsonLinesPrinter: FormatPrinter = {
  result: (result, { fields }, { terminal }) => jsonLines(result, fields, terminal.output),
  rows: (_view, { fields }, { terminal }) => ({
    row: (value) => {
      const text = encodeJson(pick(value, fields));
      return `${terminal.output ? escapeJson(text) : text}\n`;
    },
  }),
};

/**
 * Returns a result as one indented JSON document. The text that the service sent is used where it is available, else the
 * values are encoded. A list is its array, or the whole document when that holds more than the rows. With `--fields`, the
 * members keep their nesting. `onTerminal` escapes characters in strings that could mislead a terminal.
 */
export function jsonDocument(result: RowsResult, fields: Fields, onTerminal: boolean): string {
  const text = exactDocument(result, fields) ?? encodeJson(documentOf(result, fields), 2);
  return onTerminal ? escapeJson(text) : text;
}

/** The indented text of the document that the service sent; undefined when it is not available. */
function exactDocument(result: RowsResult, fields: Fields): string | undefined {
  if (fields !== undefined) return undefined;
  const canonical = result.kind === 'many' && result.whole !== undefined ? undefined : canonicalJson(result);
  if (canonical !== undefined) return indentCanonical(canonical);
  const source = documentSource(result) ?? rowsSource(result);
  return source === undefined ? undefined : indentJson(source);
}

/** Returns a result as JSON text for a program: compact when this loses nothing, since it is faster to write and to read. */
export const jsonInput = (result: RowsResult, fields: Fields): string =>
  (fields === undefined && !(result.kind === 'many' && result.whole !== undefined)
    ? canonicalJson(result)?.text
    : undefined) ?? jsonDocument(result, fields, false);

function jsonLines(result: RowsResult, fields: Fields, onTerminal: boolean): string {
  const lines =
    (fields === undefined ? exactLines(result) : undefined) ?? pickedRows(result, fields).map((row) => encodeJson(row));
  return lines.map((line) => `${onTerminal ? escapeJson(line) : line}\n`).join('');
}

/** The rows, when the service wrote them as JSON.stringify does; undefined when it did not, or its text is not available. */
function canonicalJson(result: RowsResult): Canonical | undefined {
  if (result.kind === 'one')
    return result.source === undefined ? undefined : canonicalValue(result.value, result.source);
  const { values, source } = result;
  if (source === undefined) return undefined;
  return source.member === undefined
    ? canonicalValue(values, source.text)
    : canonicalRows(values, source.text, source.member);
}

/** The source of the rows alone: the document, or the array inside it. */
function rowsSource(result: RowsResult): string | undefined {
  if (result.kind === 'one') return result.source;
  const { source } = result;
  return source?.member === undefined ? source?.text : memberSource(source.text, source.member);
}

/** The source of the document around the rows, when all of it is printed. */
const documentSource = (result: RowsResult): string | undefined =>
  result.kind === 'many' && result.whole !== undefined ? result.source?.text : undefined;

/** The compact text of each row that the service sent; undefined when it is not available. */
function exactLines(result: RowsResult): readonly string[] | undefined {
  if (canonicalJson(result) !== undefined) return rowsOf(result).map((row) => JSON.stringify(row));
  const source = rowsSource(result);
  if (source === undefined) return undefined;
  const lines = (result.kind === 'one' ? [source] : itemSources(source)).map(compactJson);
  return lines.every((line) => line !== undefined) ? lines : undefined;
}

/** Returns the value that JSON and YAML print. With `--fields`, each row has only these members, nested as before. */
export function documentOf(result: RowsResult, fields: Fields): Json {
  const rows = pickedRows(result, fields);
  if (result.kind === 'one') return rows[0] ?? null;
  return result.whole === undefined ? rows : { ...result.whole.document, [result.whole.member]: rows };
}

const pickedRows = (result: RowsResult, fields: Fields): readonly Json[] =>
  rowsOf(result).map((row) => pick(row, fields));

const pick = (row: Json, fields: Fields): Json => (fields === undefined ? row : pickFields(row, fields));
