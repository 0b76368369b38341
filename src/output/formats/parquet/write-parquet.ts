import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { localFile } from '../../../core/failure.ts';
import { encodeJson, Exact, numberOf, type Json } from '../../../core/json.ts';
import { fieldAt, memberOf } from '../../fields/fields.ts';
import { NO_VALUES, withValue, type ColumnFacts, type ColumnKind } from './column-kinds.ts';

export interface ParquetOptions {
  /** Dotted paths; by default every member. */
  readonly fields: readonly string[] | undefined;
  /** The members of a row: the columns without `fields`. */
  readonly members: readonly string[];
  /** Members that are JSON text, whatever their values are. */
  readonly json: readonly string[];
  /** What members are that have no value in any row; text by default. */
  readonly kinds?: Readonly<Record<string, ColumnKind>>;
}

/** Rows are written in groups of at most so many rows, and about so many characters of text. */
const GROUP_ROWS = 50_000;
const GROUP_TEXT = 32 * 1024 * 1024;

interface ParquetColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly valueAt: (row: Json) => Json;
}

/**
 * Formats rows as a Parquet file, in bounded memory. The rows are read twice: the first time for the type of each
 * column. `rows` returns the same rows each time; fails with local-file (14) when it did not, and as the rows do.
 */
export async function* parquetBytes(
  rows: () => AsyncIterable<Iterable<Json>>,
  options: ParquetOptions,
): AsyncGenerator<Uint8Array> {
  const columns = await columnsOf(rows(), options);
  const writer = new ByteWriter();
  const schema = schemaOf(columns);
  const parquet = new ParquetWriter({ writer, schema, createdBy: 'berth' });
  const written = (): Uint8Array => {
    const bytes = new Uint8Array(writer.getBytes());
    writer.index = 0;
    return bytes;
  };
  let group = createGroup(columns);
  for await (const part of rows())
    for (const row of part) {
      group.add(row);
      if (group.rows() < GROUP_ROWS && group.text() < GROUP_TEXT) continue;
      group.write(parquet);
      yield written();
      group = createGroup(columns);
    }
  if (group.rows() > 0) group.write(parquet);
  // Some readers know JSON only by this name. Before the last row, the package would encode each text once more for it.
  for (const element of schema) if (element.logical_type?.type === 'JSON') element.converted_type = 'JSON';
  void parquet.finish();
  yield written();
}

/** Reads all rows and finds the type of each column. */
async function columnsOf(
  groups: AsyncIterable<Iterable<Json>>,
  { fields, members, json, kinds = {} }: ParquetOptions,
): Promise<readonly ParquetColumn[]> {
  const valueAt = (name: string) =>
    fields === undefined ? (row: Json): Json => memberOf(row, name) ?? null : (row: Json): Json => fieldAt(row, name);
  const columns = [...new Set(fields ?? members)].map((name) => ({ name, valueAt: valueAt(name) }));
  const facts = columns.map(({ name }): ColumnFacts =>
    json.includes(name) ? { kind: 'json', small: true } : NO_VALUES,
  );
  for await (const group of groups)
    for (const row of group)
      for (const [at, column] of columns.entries()) facts[at] = withValue(facts[at] ?? NO_VALUES, column.valueAt(row));
  return columns.map((column, at) => {
    const kind = facts[at]?.kind ?? 'empty';
    return {
      ...column,
      kind: kind === 'empty' && Object.hasOwn(kinds, column.name) ? (kinds[column.name] ?? kind) : kind,
    };
  });
}

const TYPES: Readonly<Record<ColumnKind, Omit<SchemaElement, 'name' | 'repetition_type'>>> = {
  empty: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  boolean: { type: 'BOOLEAN' },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', logical_type: { type: 'JSON' } },
};

const schemaOf = (columns: readonly ParquetColumn[]): SchemaElement[] => [
  { name: 'root', num_children: columns.length },
  ...columns.map(({ name, kind }): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...TYPES[kind] })),
];

/** Rows that are written together. */
interface Group {
  add(row: Json): void;
  readonly rows: () => number;
  /** Characters of all texts. */
  readonly text: () => number;
  write(parquet: ParquetWriter): void;
}

function createGroup(columns: readonly ParquetColumn[]): Group {
  const values = columns.map((): unknown[] => []);
  let rows = 0;
  let text = 0;
  return {
    rows: () => rows,
    text: () => text,
    add: (row) => {
      rows += 1;
      for (const [at, { kind, valueAt }] of columns.entries()) {
        const value = storedValue(valueAt(row), kind);
        if (typeof value === 'string' || value instanceof Uint8Array) text += value.length;
        values[at]?.push(value);
      }
    },
    write: (parquet) => {
      void parquet.write({
        // Bounds of JSON texts would be stored whole, and serve nothing.
        columnData: columns.map(({ name, kind }, at) => ({
          name,
          data: values[at] ?? [],
          statistics: kind !== 'json',
        })),
        rowGroupSize: rows,
      });
    },
  };
}

/** Returns a value as the package takes it for a kind of column. Fails with local-file (14) when it is of another one. */
function storedValue(value: Json, kind: ColumnKind): unknown {
  if (value === null) return null;
  switch (kind) {
    case 'json':
      return Buffer.from(encodeJson(value));
    case 'text':
      if (typeof value === 'string') return value;
      break;
    case 'boolean':
      if (typeof value === 'boolean') return value;
      break;
    case 'integer':
      if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
      if (value instanceof Exact && /^-?\d+$/.test(value.text)) return BigInt(value.text);
      break;
    case 'number': {
      const number = numberOf(value);
      if (number !== undefined) return number;
      break;
    }
    case 'empty':
      break;
  }
  throw localFile('the results were changed while they were exported', 'Export them again.');
}
