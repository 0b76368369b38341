import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { CsvError, type Options, parse } from 'csv-parse';
import {
  COLUMN_TYPES,
  type ColumnType,
  type ColumnTypes,
  createItem,
  type InputFormat,
  invalidCsv,
  type InvalidItem,
  type Item,
  jsonProblem,
  MAX_LINE_BYTES,
  textOf,
  withoutByteOrderMark,
} from './items.ts';
import { type Failure, usage } from '../../core/failure.ts';
import { encodeJson, Exact, type Json } from '../../core/json.ts';
import { namedValues } from '../../core/text.ts';
import { formatBytes } from '../../core/units.ts';

interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

const isType = (text: string): text is ColumnType => COLUMN_TYPES.some((type) => type === text);

/** Parses `price:number,active:boolean`. Fails with usage (2). */
export function parseColumnTypes(text: string): ColumnTypes {
  const pairs = text.split(',').map((part) => {
    const { name, type } = splitTyped(part.trim());
    if (type === undefined || name === '')
      throw usage(
        `--types has ${JSON.stringify(part)}, which is not a column and its type`,
        `Write name:TYPE, with commas between; TYPE is one of ${COLUMN_TYPES.join(', ')}.`,
      );
    return [name, type] as const;
  });
  return namedValues('--types', pairs, (type) => type);
}

/** Without a known type after the last colon, all of it is the name. */
function splitTyped(text: string): { readonly name: string; readonly type: ColumnType | undefined } {
  const colon = text.lastIndexOf(':');
  const type = text.slice(colon + 1).trim();
  return colon >= 0 && isType(type) ? { name: text.slice(0, colon), type } : { name: text, type: undefined };
}

/** The type after a colon (`price:number`) is not part of the name; one of `types` wins. */
const typedColumns = (header: readonly string[], types: ColumnTypes = {}): readonly Column[] =>
  header.map((text) => {
    const { name, type = 'string' } = splitTyped(text);
    return { name, type: Object.hasOwn(types, name) ? (types[name] ?? type) : type };
  });

/** JSON syntax: other spellings, such as 007, +5 or 1,000, may mean something else. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };
/** Characters. */
const MAX_SHOWN = 40;

/** Digits stay unchanged. An empty cell is null, except for string. */
function typedValue<T>(text: string, type: ColumnType, invalid: (reason: string) => T): Json | T {
  if (type === 'string') return text;
  const cell = text.trim();
  if (cell === '') return null;
  const shown = JSON.stringify(cell.length > MAX_SHOWN ? `${cell.slice(0, MAX_SHOWN)}…` : cell);
  switch (type) {
    case 'number':
      return NUMBER.test(cell) ? new Exact(cell) : invalid(`${shown} is not a number`);
    case 'boolean': {
      const lower = cell.toLowerCase();
      return Object.hasOwn(BOOLEANS, lower) ? (BOOLEANS[lower] ?? null) : invalid(`${shown} is neither true nor false`);
    }
    case 'json': {
      const problem = jsonProblem(Buffer.from(cell));
      return problem === undefined ? new Exact(cell) : invalid(`${shown}: ${problem.reason}`);
    }
  }
}

interface Row {
  readonly fields: readonly Uint8Array[];
  readonly line: number;
}

type LineCounts = Record<'lines' | 'empty_lines', number>;

/** With an input field, its JSON text is sent byte for byte. Fails with usage (2) for an invalid file. */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  format: InputFormat,
  firstItem: number,
): AsyncGenerator<Item | InvalidItem> {
  let columns: readonly Column[] | undefined;
  let number = firstItem;
  for await (const row of readRows(chunks, format.path))
    if (columns === undefined) columns = columnsOf(row, format);
    else yield parseRow(columns, row, number++, format);
}

async function* readRows(chunks: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Row> {
  let before: LineCounts = { lines: 0, empty_lines: 0 };
  const firstLine = ({ empty_lines }: LineCounts): number => before.lines + 1 + empty_lines - before.empty_lines;
  const options: Options<Row, readonly Uint8Array[]> = {
    // Fields as bytes: decoding would replace invalid UTF-8.
    encoding: null,
    skip_empty_lines: true,
    relax_column_count: true,
    // An unclosed quote makes the rest of the file one row in memory.
    max_record_size: MAX_LINE_BYTES,
    on_record: (fields, { lines, empty_lines }) => {
      const row = { fields, line: firstLine({ lines, empty_lines }) };
      before = { lines, empty_lines };
      return row;
    },
  };
  // The types of the package allow only rows of strings.
  const parser = parse(options as unknown as Options);
  // When reading the chunks fails, the parser stops and throws that error.
  pipeline(Readable.from(skipByteOrderMark(chunks)), parser, () => undefined);
  try {
    yield* parser as AsyncIterable<Row>;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalidCsv(
      path,
      firstLine({ lines: Number(error['lines']), empty_lines: Number(error['empty_lines']) }),
      CSV_ERRORS[error.code] ?? error.message,
      'The rest of the file cannot be split into rows, so --skip-invalid does not leave it out.',
    );
  }
}

/** After these errors the end of the row is unknown. */
const CSV_ERRORS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'the row that begins here has a quote that is never closed',
  CSV_MAX_RECORD_SIZE: `the row that begins here is longer than ${formatBytes(MAX_LINE_BYTES)}, or has a quote that is never closed`,
  CSV_INVALID_CLOSING_QUOTE: 'the row that begins here has text after a closing quote; within quotes, write " as ""',
  INVALID_OPENING_QUOTE: 'the row that begins here has a quote inside a field without quotes around it',
};

async function* skipByteOrderMark(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array(0);
  for await (const chunk of chunks) {
    if (head !== undefined) head = Buffer.concat([head, chunk]);
    if (head === undefined) yield chunk;
    else if (head.byteLength >= 3) {
      yield withoutByteOrderMark(head);
      head = undefined;
    }
  }
  if (head !== undefined) yield head;
}

function columnsOf({ fields, line }: Row, format: InputFormat): readonly Column[] {
  const invalid = (reason: string, hint = 'The first line of a CSV file names its columns.'): Failure =>
    invalidCsv(format.path, line, reason, hint);
  if (!fields.every((field) => isUtf8(field))) throw invalid('the header is not UTF-8 text', 'Save the file as UTF-8.');
  const columns = typedColumns(fields.map(textOf), format.types);
  const names = columns.map(({ name }) => name);
  const untyped = fields.map(textOf).find((text) => /:\s*[A-Za-z]\w*\s*$/.test(text) && names.includes(text));
  if (untyped !== undefined && format.inputField === undefined && format.types?.[untyped] === undefined)
    throw invalid(
      `column ${JSON.stringify(untyped)}: ${untyped.slice(untyped.lastIndexOf(':') + 1).trim()} is not a type`,
      `Types are ${COLUMN_TYPES.join(', ')}.`,
    );
  const [only = ''] = names;
  if (names.length === 1 && /[;\t]/.test(only))
    throw invalid(
      `the header names one column, ${JSON.stringify(only)}`,
      'Columns are separated by commas, and by nothing else.',
    );
  const unnamed = names.findIndex((name) => name.trim() === '');
  if (unnamed >= 0) throw invalid(`column ${unnamed + 1} has no name`);
  const duplicate = names.find((name, at) => names.indexOf(name) !== at);
  if (duplicate !== undefined) throw invalid(`two columns are named ${JSON.stringify(duplicate)}`);
  for (const field of [format.inputField, format.idField, ...Object.keys(format.types ?? {})])
    if (field !== undefined && !names.includes(field))
      throw invalid(`no column is named ${JSON.stringify(field)}`, `The header names ${names.join(', ')}.`);
  return columns;
}

function parseRow(
  columns: readonly Column[],
  { fields, line }: Row,
  number: number,
  format: InputFormat,
): Item | InvalidItem {
  const invalid = (reason: string): InvalidItem => ({ kind: 'invalid', number, line, reason });
  if (fields.length !== columns.length)
    return invalid(
      `it has ${countOf(fields.length, 'field')}, and the header names ${countOf(columns.length, 'column')}`,
    );
  const notText = fields.findIndex((field) => !isUtf8(field));
  if (notText >= 0) return invalid(`column ${JSON.stringify(columns[notText]?.name)}: it is not UTF-8 text`);
  const { inputField, idField } = format;
  const at = (name: string): number => columns.findIndex((column) => column.name === name);
  let wrong: InvalidItem | undefined;
  const values = columns.map(({ name, type }, index): Json =>
    typedValue(textOf(fields[index] ?? EMPTY), inputField === undefined ? type : 'string', (reason) => {
      wrong ??= invalid(`row ${number}, column ${JSON.stringify(name)}: ${reason}`);
      return null;
    }),
  );
  if (wrong !== undefined) return wrong;
  const id = idField === undefined ? undefined : encodeJson(values[at(idField)] ?? null);
  if (inputField === undefined) {
    // `fromEntries` allows a column named `__proto__`.
    const row = Object.fromEntries(columns.map(({ name }, index) => [name, values[index]]));
    return createItem(Buffer.from(encodeJson(row)), id, format, number, invalid);
  }
  const input = Buffer.from(textOf(fields[at(inputField)] ?? EMPTY).trim());
  const problem = jsonProblem(input);
  return problem === undefined
    ? createItem(input, id, format, number, invalid)
    : invalid(`column ${JSON.stringify(inputField)}: ${problem.reason}`);
}

const EMPTY = new Uint8Array(0);

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
