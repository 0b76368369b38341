import { itemSources, JsonTokens, memberSource } from '../../core/json-source.ts';
import { encodeJson, type Json } from '../../core/json.ts';
import { safeText, type SafeText } from '../../core/safe-text.ts';
import { groupsOf, pickFields } from '../fields.ts';
import { type FormatPrinter, type OutputOptions, rowsOf, type RowsResult, type RowsSource } from '../view.ts';

/** For a terminal only: elsewhere strings stay as the service sent them. */
export const escapeJson = (text: string): SafeText =>
  safeText(
    text.replace(/[^\n\u0020-\u007e]/gu, (character) =>
      safeText(character) === character ? character : codeUnits(character).map(escapeUnit).join(''),
    ),
    true,
  );

const codeUnits = (character: string): readonly number[] =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));

const escapeUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;

/** Levels that are indented. Deeper ones stay on one line, or the indentation would outgrow the text. */
const MAX_INDENTED_DEPTH = 64;

const MAX_PIECES = 8192;

interface Spacing {
  readonly lines: readonly string[];
  readonly commas: readonly string[];
  readonly colon: string;
}

const LINES = Array.from({ length: MAX_INDENTED_DEPTH + 1 }, (_, depth) => `\n${'  '.repeat(depth)}`);
const INDENTED: Spacing = { lines: LINES, commas: LINES.map((line) => `,${line}`), colon: ': ' };
const COMPACT: Spacing = { lines: [], commas: [], colon: ':' };

/** Expects text that `decodeJson` accepts. In parts, so that a long document is not in memory twice. */
export const indentJson = (source: string): Generator<string> => layOut(source, INDENTED);

export const compactJson = (source: string): string => [...layOut(source, COMPACT)].join('');

const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

function* layOut(source: string, { lines, commas, colon }: Spacing): Generator<string> {
  const tokens = new JsonTokens(source);
  let pieces: string[] = [];
  let depth = 0;
  let isEmpty = true;
  while (tokens.next()) {
    const { code } = tokens;
    if (code === COMMA) pieces.push(commas[depth] ?? ',');
    else if (code === COLON) pieces.push(colon);
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth--;
      if (!isEmpty) pieces.push(lines[depth] ?? '');
      pieces.push(code === CLOSE_OBJECT ? '}' : ']');
      isEmpty = false;
    } else {
      if (isEmpty && depth > 0) pieces.push(lines[depth] ?? '');
      isEmpty = code === OPEN_OBJECT || code === OPEN_ARRAY;
      if (isEmpty) depth++;
      pieces.push(source.slice(tokens.start, tokens.end));
    }
    if (pieces.length < MAX_PIECES) continue;
    yield pieces.join('');
    pieces = [];
  }
  if (pieces.length > 0) yield pieces.join('');
}

type Fields = OutputOptions['fields'];

/** The service's own text where available. A list is an array, or the document if that holds more than rows. */
export const jsonPrinter: FormatPrinter = {
  result: function* (result, { fields }, { terminal }) {
    for (const text of indentJson(jsonInput(result, fields))) yield terminal.output ? escapeJson(text) : text;
    yield '\n';
  },
  rows: (_view, { fields }, { terminal }) => ({
    rows: (values, first) => {
      const texts = values.map((value) => encodeJson(pick(value, fields), 2).replaceAll('\n', '\n  '));
      const text = `${first ? '[' : ','}\n  ${texts.join(',\n  ')}`;
      return terminal.output ? escapeJson(text) : text;
    },
    end: (empty) => (empty ? '[]\n' : '\n]\n'),
  }),
};

export const jsonLinesPrinter: FormatPrinter = {
  result: function* (result, { fields }, { terminal }) {
    const sources = rowsSources(result, fields);
    const items = result.kind === 'one' ? sources : sources?.flatMap(itemSources);
    const encoded = rowsOf(result).map((row) => () => encodeJson(pick(row, fields)));
    for (const group of groupsOf(items?.map((item) => () => compactJson(item)) ?? encoded)) {
      const texts = group.map((encode) => encode());
      const text = texts.map((each) => `${each}\n`).join('');
      yield terminal.output ? escapeJson(text) : text;
    }
  },
  rows: (_view, { fields }, { terminal }) => ({
    rows: (values) => {
      const text = values.map((value) => `${encodeJson(pick(value, fields))}\n`).join('');
      return terminal.output ? escapeJson(text) : text;
    },
  }),
};

export function jsonInput(result: RowsResult, fields: Fields): string {
  const [only, ...others] = sourcesOf(result, fields) ?? [];
  if (only === undefined) return encodeJson(documentOf(result, fields));
  return others.length === 0 ? only : `[${[only, ...others].flatMap(itemSources).join(',')}]`;
}

function sourcesOf(result: RowsResult, fields: Fields): readonly string[] | undefined {
  const isWhole = result.kind === 'many' && result.whole !== undefined && fields === undefined;
  return isWhole ? result.sources?.map(({ text }) => text) : rowsSources(result, fields);
}

/** Undefined when the source is not available, or not all of it is printed. */
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

export function documentOf(result: RowsResult, fields: Fields): Json {
  const rows = rowsOf(result).map((row) => pick(row, fields));
  if (result.kind === 'one') return rows[0] ?? null;
  return result.whole === undefined ? rows : { ...result.whole.document, [result.whole.member]: rows };
}

const pick = (row: Json, fields: Fields): Json => (fields === undefined ? row : pickFields(row, fields));
