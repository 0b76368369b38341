import { usage } from '../../../core/failure.ts';
import type { CountedItems } from '../source-by-items.ts';
import { createItem, type InputFormat, inputName, type InvalidItem, type Item } from '../items/item.ts';
import { type ByteSource, type ParquetLayout, readLayout } from './layout.ts';
import { failureOf, readingParquet } from './not-readable.ts';
import { createRowReader, type RowBatch } from './read-rows.ts';
import type { Column } from './schema.ts';
import { jsonOf, NotJson } from './values.ts';

/**
 * Opens a Parquet file, each row of which is an item. The input of a row is an object of its columns; with an input field,
 * it is the value of that column. Fails with usage (2) when the file cannot be read or a column is missing; reading fails
 * so when it is damaged.
 */
export async function openParquet(source: ByteSource, format: InputFormat): Promise<CountedItems> {
  const name = inputName(source.name);
  const layout = await readingParquet(name, () => readLayout(source));
  const plan = await readingParquet(name, () => planRows(name, layout, format));
  const readRows = createRowReader(source, layout, plan.columns);
  return {
    close: async () => undefined,
    items: async function* items(start, end) {
      try {
        for await (const batch of readRows(start, end)) yield itemsOf(name, batch, plan, format);
      } catch (error) {
        throw failureOf(name, error);
      }
    },
  };
}

type RowPlan = ReturnType<typeof planRows>;

function planRows(name: string, { columns }: ParquetLayout, { inputField, idField }: InputFormat) {
  const find = (field: string): Column => {
    const column = columns.find((each) => each.name === field);
    if (column !== undefined) return column;
    const names = columns.map((each) => each.name);
    const shown = names.length > MAX_NAMES ? [...names.slice(0, MAX_NAMES), '...'] : names;
    throw usage(`${name}: no column is named ${JSON.stringify(field)}`, `There are ${shown.join(', ')}.`);
  };
  const inputColumns = inputField === undefined ? columns : [find(inputField)];
  const idColumn = idField === undefined ? undefined : find(idField);
  const read = idColumn === undefined || inputColumns.includes(idColumn) ? inputColumns : [...inputColumns, idColumn];
  return {
    columns: read,
    convert: read.map(jsonOf),
    /** The places of the columns that make the input. */
    input: inputColumns.map((_, at) => at),
    /** True when the input is the value of one column, and not an object of columns. */
    isField: inputField !== undefined,
    id: idColumn === undefined ? undefined : read.indexOf(idColumn),
  };
}

const MAX_NAMES = 60;

function* itemsOf(name: string, batch: RowBatch, plan: RowPlan, format: InputFormat): Generator<Item | InvalidItem> {
  const starts = plan.columns.map(({ name }) => `${JSON.stringify(name)}:`);
  for (let row = 0; row < batch.rows; row++) {
    const number = batch.firstRow + row + 1;
    let at = 0;
    const invalid = (reason: string): InvalidItem => ({ kind: 'invalid', number, line: number, place: 'row', reason });
    const textAt = (column: number): string => {
      at = column;
      return plan.convert[column]?.(batch.values[column]?.[row]) ?? 'null';
    };
    try {
      const values = plan.input.map(textAt);
      const id = plan.id === undefined ? undefined : (values[plan.id] ?? textAt(plan.id));
      const input = plan.isField
        ? (values[0] ?? '')
        : `{${values.map((value, index) => (starts[index] ?? '') + value).join(',')}}`;
      yield createItem(Buffer.from(input), id, format, number, invalid);
    } catch (error) {
      if (!(error instanceof NotJson)) throw failureOf(name, error);
      yield invalid(`column ${JSON.stringify(plan.columns[at]?.name)}: ${error.message}`);
    }
  }
}
