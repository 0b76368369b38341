import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { CsvError, type Options, parse } from 'csv-parse';
import {
  createItem,
  type InputFormat,
  inputName,
  type InvalidItem,
  type Item,
  jsonProblem,
  MAX_LINE_BYTES,
  textOf,
  withoutByteOrderMark,
} from './items.ts';
import { type Failure, usage } from '../../core/failure.ts';
import { encodeJson, Exact, type Json } from '../../core/json.ts';
import { formatBytes } from '../../core/units.ts';

const COLUMN_TYPES = ['string', 'number', 'boolean', 'json'] as const;
type ColumnType = (typeof COLUMN_TYPES)[number];

interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

/** The type after the last colon (`price:number`) is not part of the name; without a known one, all of it is the name. */
function columnOf(text: string): Column {
  const colon = text.lastIndexOf(':');
  const type = COLUMN_TYPES.find((each) => each === text.slice(colon + 1).trim());
  return colon >= 0 && type !== undefined ? { name: text.slice(0, colon), type } : { name: text, type: 'string' };
}

/** JSON syntax: other spellings, such as 007, +5 or 1,000, may mean something else. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
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
      return lower === 'true' || lower === 'false' ? lower === 'true' : invalid(`${shown} is neither true nor false`);
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
  pipeline(Readable.from(unmarked(chunks)), parser, () => undefined);
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

/** Without a byte order mark. */
async function* unmarked(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of chunks) {
    yield isFirst ? withoutByteOrderMark(chunk) : chunk;
    isFirst = false;
  }
}

/** After these errors the end of the row is unknown. */
const CSV_ERRORS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'the row that begins here has a quote that is never closed',
  CSV_MAX_RECORD_SIZE: `the row that begins here is longer than ${formatBytes(MAX_LINE_BYTES)}, or has a quote that is never closed`,
  CSV_INVALID_CLOSING_QUOTE: 'the row that begins here has text after a closing quote; within quotes, write " as ""',
  INVALID_OPENING_QUOTE: 'the row that begins here has a quote inside a field without quotes around it',
};

const invalidCsv = (path: string, line: number, reason: string, hint: string): Failure =>
  usage(`${inputName(path)}, line ${line}: ${reason}`, hint);

function columnsOf({ fields, line }: Row, { path, inputField, idField }: InputFormat): readonly Column[] {
  const invalid = (reason: string, hint = 'The first line of a CSV file names its columns.'): Failure =>
    invalidCsv(path, line, reason, hint);
  if (!fields.every((field) => isUtf8(field))) throw invalid('the header is not UTF-8 text', 'Save the file as UTF-8.');
  const texts = fields.map(textOf);
  const columns = texts.map(columnOf);
  const names = columns.map(({ name }) => name);
  const untyped = texts.find((text) => names.includes(text) && /:\s*[A-Za-z]\w*\s*$/.test(text));
  if (untyped !== undefined && inputField === undefined)
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
  for (const field of [inputField, idField])
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
    return invalid(`fields: ${fields.length}; columns that the header names: ${columns.length}`);
  const notText = fields.findIndex((field) => !isUtf8(field));
  if (notText >= 0) return invalid(`column ${JSON.stringify(columns[notText]?.name)}: it is not UTF-8 text`);
  const { inputField, idField } = format;
  const texts = fields.map(textOf);
  let wrong: InvalidItem | undefined;
  const values = columns.map(({ name, type }, index): Json =>
    typedValue(texts[index] ?? '', inputField === undefined ? type : 'string', (reason) => {
      wrong ??= invalid(`row ${number}, column ${JSON.stringify(name)}: ${reason}`);
      return null;
    }),
  );
  if (wrong !== undefined) return wrong;
  const at = (field: string): number => columns.findIndex(({ name }) => name === field);
  const id = idField === undefined ? undefined : encodeJson(values[at(idField)] ?? null);
  if (inputField === undefined) {
    // `fromEntries` allows a column named `__proto__`.
    const row = Object.fromEntries(columns.map(({ name }, index) => [name, values[index]]));
    return createItem(Buffer.from(encodeJson(row)), id, format, number, invalid);
  }
  const input = Buffer.from((texts[at(inputField)] ?? '').trim());
  const problem = jsonProblem(input);
  return problem === undefined
    ? createItem(input, id, format, number, invalid)
    : invalid(`column ${JSON.stringify(inputField)}: ${problem.reason}`);
}
