import { itemSources, memberSource } from '../../core/json-source.ts';
import { encodeJson, type Json } from '../../core/json.ts';
import { rowsOf, type OutputOptions, type RowsResult } from '../view.ts';
import { escapeJson } from './escape-json.ts';
import { pickFields } from './fields.ts';
import type { FormatPrinter } from './format-printer.ts';
import { groupsOf } from './groups.ts';
import { compactJson, indentJson } from './json-layout.ts';

type Fields = OutputOptions['fields'];

/**
 * A result as one indented JSON document. The text that the service sent is used where it is available, else the values
 * are encoded. A list is its array, or the whole document when that holds more than the rows. With `--fields`, the
 * members keep their nesting. On a terminal, characters in strings that could mislead it are escaped. Rows that arrive one
 * at a time form one array.
 */
export const jsonPrinter: FormatPrinter = {
  result: function* (result, { fields }, { terminal }) {
    const source = sourceOf(result, fields);
    const texts = source === undefined ? indentedValues(result, fields) : indentJson(source);
    for (const text of texts) yield terminal.output ? escapeJson(text) : text;
    yield '\n';
  },
  rows: (_view, { fields }, { terminal }) => ({
    row: (value, first) => {
      const text = indentedItem(pick(value, fields), first);
      return terminal.output ? escapeJson(text) : text;
    },
    end: (empty) => (empty ? '[]\n' : '\n]\n'),
  }),
};

/** One compact JSON value on each line. */
export const jsonLinesPrinter: FormatPrinter = {
  result: function* (result, { fields }, { terminal }) {
    const source = rowsSource(result, fields);
    const lines = (text: readonly string[]): string => text.map((line) => `${line}\n`).join('');
    const texts =
      source === undefined
        ? mapGroups(rowsOf(result), (rows) => lines(rows.map((row) => encodeJson(pick(row, fields)))))
        : mapGroups(result.kind === 'one' ? [source] : itemSources(source), (items) => lines(items.map(compactJson)));
    for (const text of texts) yield terminal.output ? escapeJson(text) : text;
  },
  rows: (_view, { fields }, { terminal }) => ({
    row: (value) => {
      const text = encodeJson(pick(value, fields));
      return `${terminal.output ? escapeJson(text) : text}\n`;
    },
  }),
};

/** Returns a result as JSON text for a program: as the service sent it where that is available. */
export const jsonInput = (result: RowsResult, fields: Fields): string =>
  sourceOf(result, fields) ?? encodeJson(documentOf(result, fields));

/** Indents what `documentOf` returns; the rows of a list in groups. */
function* indentedValues(result: RowsResult, fields: Fields): Generator<string> {
  if (result.kind === 'one' || result.whole !== undefined || result.values.length === 0) {
    yield encodeJson(documentOf(result, fields), 2);
    return;
  }
  let isFirst = true;
  for (const rows of groupsOf(result.values)) {
    yield rows.map((row, at) => indentedItem(pick(row, fields), isFirst && at === 0)).join('');
    isFirst = false;
  }
  yield '\n]';
}

/** An item of an array that is written item by item, with what comes before it. */
const indentedItem = (value: Json, first: boolean): string =>
  `${first ? '[' : ','}\n  ${encodeJson(value, 2).replaceAll('\n', '\n  ')}`;

function* mapGroups<T>(items: readonly T[], text: (group: readonly T[]) => string): Generator<string> {
  for (const group of groupsOf(items)) yield text(group);
}

/** The source of what `documentOf` returns; undefined when it is not available, or not all of it is printed. */
function sourceOf(result: RowsResult, fields: Fields): string | undefined {
  return result.kind === 'many' && result.whole !== undefined && fields === undefined
    ? result.source?.text
    : rowsSource(result, fields);
}

/** The source of the rows alone: the document, or the array inside it. */
function rowsSource(result: RowsResult, fields: Fields): string | undefined {
  if (fields !== undefined) return undefined;
  const source = result.kind === 'one' ? { text: result.source } : result.source;
  // An answer without a body has no source.
  if (source?.text === undefined || source.text === '') return undefined;
  return 'member' in source ? memberSource(source.text, source.member) : source.text;
}

/** Returns the value that JSON and YAML print. With `--fields`, each row has only these members, nested as before. */
export function documentOf(result: RowsResult, fields: Fields): Json {
  const rows = rowsOf(result).map((row) => pick(row, fields));
  if (result.kind === 'one') return rows[0] ?? null;
  return result.whole === undefined ? rows : { ...result.whole.document, [result.whole.member]: rows };
}

const pick = (row: Json, fields: Fields): Json => (fields === undefined ? row : pickFields(row, fields));
