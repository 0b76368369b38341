import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { badCsv, sized, whyNotJson, type BadItem, type InputShape, type Item } from './item.ts';

/** What the parser hands on with `info`. */
interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * The rows of a CSV file with a header. A row is an object of its columns, all of them text; where an input field is
 * named, that column holds the input as JSON text, which is sent byte for byte. Fails with usage (2) where it is no CSV.
 */
export async function* readCsv(
  pieces: AsyncIterable<Uint8Array>,
  shape: InputShape,
): AsyncGenerator<readonly (Item | BadItem)[]> {
  const parser = Readable.from(pieces).pipe(parse({ bom: true, info: true, skip_empty_lines: true }));
  let columns: readonly string[] | undefined;
  let number = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<Row>) {
      if (columns === undefined) {
        columns = checkedColumns(record, shape);
        continue;
      }
      number += 1;
      yield [itemOf(columns, record, number, info.lines, shape)];
    }
  } catch (error) {
    if (error instanceof CsvError) throw badCsv(shape.path, Number(error['lines'] ?? 1), error.message);
    throw error;
  }
}

function checkedColumns(names: readonly string[], shape: InputShape): readonly string[] {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw badCsv(shape.path, 1, `two columns are named ${JSON.stringify(twice)}`);
  for (const field of [shape.inputField, shape.idField])
    if (field !== undefined && !names.includes(field))
      throw badCsv(shape.path, 1, `no column is named ${JSON.stringify(field)}`);
  return names;
}

function itemOf(
  columns: readonly string[],
  values: readonly string[],
  number: number,
  line: number,
  shape: InputShape,
): Item | BadItem {
  const bad = (reason: string): BadItem => ({ kind: 'bad', number, line, reason });
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
  return trouble === undefined ? sized(input, id, shape, number, bad) : bad(`column ${inputField}: ${trouble.reason}`);
}
