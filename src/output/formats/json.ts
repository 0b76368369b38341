import { itemSources, memberSource } from '../../core/json/json-source.ts';
import { encodeJson, type Json } from '../../core/json.ts';
import { rowsOf, type OutputOptions, type RowsResult, type RowsSource } from '../view.ts';
import { escapeJson } from './escape-json.ts';
import { pickFields } from '../fields/fields.ts';
import type { FormatPrinter } from '../format-printer.ts';
import { groupsOf } from '../fields/groups.ts';
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
    const sources = sourcesOf(result, fields);
    const texts = sources === undefined ? indentedValues(result, fields) : indentedSources(sources);
    for (const text of texts) yield terminal.output ? escapeJson(text) : text;
    yield '\n';
  },
  rows: (_view, { fields }, { terminal }) => ({
    rows: (values, first) => {
      const text = indentedItems(values, fields, first);
      return terminal.output ? escapeJson(text) : text;
    },
    end: (empty) => (empty ? '[]\n' : '\n]\n'),
  }),
};

/** One compact JSON value on each line. */
export const jsonLinesPrinter: FormatPrinter = {
  result: function* (result, { fields }, { terminal }) {
    const sources = rowsSources(result, fields);
    const lines = (text: readonly string[]): string => text.map((line) => `${line}\n`).join('');
    const texts =
      sources === undefined
        ? mapGroups(rowsOf(result), (rows) => jsonLines(rows, fields))
        : mapGroups(result.kind === 'one' ? sources : sources.flatMap(itemSources), (items) =>
            lines(items.map(compactJson)),
          );
    for (const text of texts) yield terminal.output ? escapeJson(text) : text;
  },
  rows: (_view, { fields }, { terminal }) => ({
    rows: (values) => {
      const text = jsonLines(values, fields);
      return terminal.output ? escapeJson(text) : text;
    },
  }),
};

const jsonLines = (values: readonly Json[], fields: Fields): string =>
  values.map((value) => `${encodeJson(pick(value, fields))}\n`).join('');

/** Returns a result as JSON text for a program: as the service sent it where that is available. */
export function jsonInput(result: RowsResult, fields: Fields): string {
  const [only, ...others] = sourcesOf(result, fields) ?? [];
  if (only === undefined) return encodeJson(documentOf(result, fields));
  return others.length === 0 ? only : `[${[only, ...others].flatMap(itemSources).join(',')}]`;
}

/** Indents what `documentOf` returns; the rows of a list in groups. */
function* indentedValues(result: RowsResult, fields: Fields): Generator<string> {
  if (result.kind === 'one' || result.whole !== undefined || result.values.length === 0) {
    yield encodeJson(documentOf(result, fields), 2);
    return;
  }
  let isFirst = true;
  for (const rows of groupsOf(result.values)) {
    yield indentedItems(rows, fields, isFirst);
    isFirst = false;
  }
  yield '\n]';
}

/** Items of an array that is written in parts, with what comes before each of them. */
const indentedItems = (values: readonly Json[], fields: Fields, first: boolean): string =>
  values
    .map((value, at) => {
      const text = encodeJson(pick(value, fields), 2).replaceAll('\n', '\n  ');
      return `${first && at === 0 ? '[' : ','}\n  ${text}`;
    })
    .join('');

/** Indents a document; several arrays as one. */
function* indentedSources(sources: readonly string[]): Generator<string> {
  const [only, ...others] = sources;
  if (only !== undefined && others.length === 0) {
    yield* indentJson(only);
    return;
  }
  let isFirst = true;
  for (const source of sources)
    for (const part of itemsOf(indentJson(source))) {
      yield isFirst ? `[${part.slice(1)}` : part;
      isFirst = false;
    }
  yield isFirst ? '[]' : '\n]';
}

/** The items of an indented array: its text with a comma in the place of the brackets; nothing of an empty one. */
function* itemsOf(parts: Iterable<string>): Generator<string> {
  let held: string | undefined;
  for (const part of parts) {
    if (held !== undefined) yield held;
    held = held === undefined ? `,${part.slice(1)}` : part;
  }
  // The last part has the closing bracket and the line before it.
  const end = held?.slice(0, -1).trimEnd();
  if (end !== undefined && end !== ',') yield end;
}

function* mapGroups<T>(items: readonly T[], text: (group: readonly T[]) => string): Generator<string> {
  for (const group of groupsOf(items)) yield text(group);
}

/** The source of what `documentOf` returns, as `rowsSources` gives it. */
function sourcesOf(result: RowsResult, fields: Fields): readonly string[] | undefined {
  const isWhole = result.kind === 'many' && result.whole !== undefined && fields === undefined;
  return isWhole ? result.sources?.map(({ text }) => text) : rowsSources(result, fields);
}

/**
 * The source of the rows alone: the document, or the arrays of rows, which together are the list. Undefined when it is
 * not available, or not all of it is printed.
 */
function rowsSources(result: RowsResult, fields: Fields): readonly string[] | undefined {
  if (fields !== undefined) return undefined;
  const sources = result.kind === 'one' ? [{ text: result.source ?? '' }] : (result.sources ?? []);
  const arrays = sources.flatMap((source) => arrayOf(source) ?? []);
  return arrays.length > 0 && arrays.length === sources.length ? arrays : undefined;
}

function arrayOf({ text, member, without }: RowsSource): string | undefined {
  // An answer without a body has no source.
  const source = member === undefined || text === '' ? text : memberSource(text, member);
  if (source === undefined || source === '') return undefined;
  if (without === undefined || without.size === 0) return source;
  return `[${itemSources(source)
    .filter((_, at) => !without.has(at))
    .join(',')}]`;
}

/** Returns the value that JSON and YAML print. With `--fields`, each row has only these members, nested as before. */
export function documentOf(result: RowsResult, fields: Fields): Json {
  const rows = rowsOf(result).map((row) => pick(row, fields));
  if (result.kind === 'one') return rows[0] ?? null;
  return result.whole === undefined ? rows : { ...result.whole.document, [result.whole.member]: rows };
}

const pick = (row: Json, fields: Fields): Json => (fields === undefined ? row : pickFields(row, fields));
