import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { CsvError, parse, type Options } from 'csv-parse';
import { formatBytes } from '../../core/units.ts';
import {
  badCsv,
  LONGEST_LINE,
  sized,
  textOf,
  whyNotJson,
  withoutMark,
  type BadItem,
  type InputShape,
  type Item,
} from './item.ts';

/** What the parser hands on: the fields as they lie in the file, and the line that the row begins in. */
interface Row {
  readonly fields: readonly Uint8Array[];
  readonly line: number;
}

/** Lines up to where a row ends, and how many of them are empty. */
interface Lines {
  readonly lines: number;
  readonly empty_lines: number;
}

/**
 * The rows of a CSV file with a header. A row is an object of its columns, all of them text; where an input field is
 * named, that column holds the input as JSON text, which is sent byte for byte. Fails with usage (2) where it is no CSV,
 * and as the pieces do.
 */
export async function* readCsv(
  pieces: AsyncIterable<Uint8Array>,
  shape: InputShape,
): AsyncGenerator<readonly (Item | BadItem)[]> {
  let before: Lines = { lines: 0, empty_lines: 0 };
  const beginning = ({ empty_lines }: Lines): number => before.lines + 1 + empty_lines - before.empty_lines;
  const options: Options<Row, readonly Uint8Array[]> = {
    // Bytes: as text, those that are none would be replaced.
    encoding: null,
    skip_empty_lines: true,
    relax_column_count: true,
    // What follows a quote that is never closed would be one row, all of it in memory.
    max_record_size: LONGEST_LINE,
    on_record: (fields, { lines, empty_lines }) => {
      const row = { fields, line: beginning({ lines, empty_lines }) };
      before = { lines, empty_lines };
      return row;
    },
  };
  // Its types know rows of text alone.
  const parser = parse(options as unknown as Options);
  // What the pieces fail with arrives at the parser, and comes out of it.
  pipeline(Readable.from(unmarked(pieces)), parser, () => undefined);
  let columns: readonly string[] | undefined;
  let number = 0;
  try {
    for await (const row of parser as AsyncIterable<Row>) {
      if (columns === undefined) {
        columns = columnsOf(row, shape);
        continue;
      }
      number += 1;
      yield [itemOf(columns, row, number, shape)];
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = beginning({ lines: Number(error['lines']), empty_lines: Number(error['empty_lines']) });
    throw badCsv(
      shape.path,
      line,
      QUOTING[error.code] ?? error.message,
      'What follows cannot be told apart into rows, so --skip-invalid does not leave it out.',
    );
  }
}

/** What can be wrong with the row that begins in a line so that nobody knows where it ends. */
const QUOTING: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'the row that begins here has a quote that is never closed',
  CSV_MAX_RECORD_SIZE: `the row that begins here is longer than ${formatBytes(LONGEST_LINE)}, or has a quote that is never closed`,
  CSV_INVALID_CLOSING_QUOTE: 'the row that begins here has text behind a closing quote; within quotes, write " as ""',
  INVALID_OPENING_QUOTE: 'the row that begins here has a quote inside a field without quotes around it',
};

/** Without the byte order mark at its beginning. */
async function* unmarked(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array(0);
  for await (const piece of pieces) {
    if (head !== undefined) head = Buffer.concat([head, piece]);
    if (head === undefined) yield piece;
    else if (head.byteLength >= 3) {
      yield withoutMark(head);
      head = undefined;
    }
  }
  if (head !== undefined) yield head;
}

function columnsOf({ fields, line }: Row, shape: InputShape): readonly string[] {
  const refuse = (reason: string, hint = 'The first line of a CSV file names its columns.'): Error =>
    badCsv(shape.path, line, reason, hint);
  if (!fields.every((field) => isUtf8(field))) throw refuse('the header is not UTF-8 text', 'Save the file as UTF-8.');
  const names = fields.map(textOf);
  const [only = ''] = names;
  if (names.length === 1 && /[;\t]/.test(only))
    throw refuse(
      `the header names one column, ${JSON.stringify(only)}`,
      'Columns are separated by commas, and by nothing else.',
    );
  const unnamed = names.findIndex((name) => name.trim() === '');
  if (unnamed >= 0) throw refuse(`column ${String(unnamed + 1)} has no name`);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw refuse(`two columns are named ${JSON.stringify(twice)}`);
  for (const field of [shape.inputField, shape.idField])
    if (field !== undefined && !names.includes(field)) throw refuse(`no column is named ${JSON.stringify(field)}`);
  return names;
}

function itemOf(columns: readonly string[], { fields, line }: Row, number: number, shape: InputShape): Item | BadItem {
  const bad = (reason: string): BadItem => ({ kind: 'bad', number, line, reason });
  if (fields.length !== columns.length)
    return bad(`it has ${countOf(fields.length, 'field')}, and the header names ${countOf(columns.length, 'column')}`);
  const strange = fields.findIndex((field) => !isUtf8(field));
  if (strange >= 0) return bad(`column ${JSON.stringify(columns[strange])}: it is not UTF-8 text`);
  const values = fields.map(textOf);
  const { inputField, idField } = shape;
  const valueOf = (name: string): string => values[columns.indexOf(name)] ?? '';
  const id = idField === undefined ? undefined : JSON.stringify(valueOf(idField));
  if (inputField === undefined) {
    // From entries, so that a column may be named like anything an object has by itself.
    const row = Object.fromEntries(columns.map((name, at) => [name, values[at] ?? '']));
    return sized(Buffer.from(JSON.stringify(row)), id, shape, number, bad);
  }
  const input = Buffer.from(valueOf(inputField).trim());
  const trouble = whyNotJson(input);
  return trouble === undefined
    ? sized(input, id, shape, number, bad)
    : bad(`column ${JSON.stringify(inputField)}: ${trouble.reason}`);
}

const countOf = (count: number, noun: string): string => `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
