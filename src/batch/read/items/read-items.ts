import { memberSource } from '../../../core/json/json-source.ts';
import { formatBytes } from '../../../core/units.ts';
import { lineGroups, type Line } from '../../bytes/split-lines.ts';
import {
  createItem,
  isJsonSpace,
  jsonProblem,
  MAX_LINE_BYTES,
  textOf,
  withoutByteOrderMark,
  type Beginning,
  type InputFormat,
  type InvalidItem,
  type Item,
  type PlacedItem,
} from './item.ts';

/**
 * Returns the items of an input grouped by the chunk of the file they are in. Items are created while a group is
 * iterated: iterate each group to its end before the next. Fails as reading the chunks does, and with usage (2) for an
 * invalid CSV file.
 */
export async function* readItems(
  chunks: AsyncIterable<Uint8Array>,
  format: InputFormat,
  beginning: Beginning = { item: 1 },
): AsyncGenerator<Iterable<Item | InvalidItem>> {
  function* itemsOf(group: Iterable<PlacedItem>): Generator<Item | InvalidItem> {
    for (const { item } of group) if (item !== undefined) yield item;
  }
  for await (const group of placedItems(chunks, format, beginning)) yield itemsOf(group);
}

/** As `readItems`, with the place of each item and of what is none. */
export async function* placedItems(
  chunks: AsyncIterable<Uint8Array>,
  format: InputFormat,
  beginning: Beginning,
): AsyncGenerator<Iterable<PlacedItem>> {
  if (format.format === 'csv') {
    const { readCsv } = await import('./csv.ts');
    for await (const row of readCsv(chunks, format, beginning)) yield [row];
    return;
  }
  let number = beginning.item - 1;
  let lines = 0;
  const before = (beginning.line ?? 1) - 1;
  const parse = ({ bytes, tooLong, start }: Line): Item | InvalidItem | undefined => {
    const line = before + lines;
    const content = start === 0 && line === 1 ? withoutByteOrderMark(bytes) : bytes;
    const text = trim(content);
    if (text.byteLength === 0 && !tooLong) return undefined;
    number += 1;
    if (beginning.isWanted?.(number) === false) return undefined;
    return tooLong
      ? { kind: 'invalid', number, line, reason: `the line is longer than ${formatBytes(MAX_LINE_BYTES)}` }
      : parseItem(text, { number, line, indent: text.byteOffset - content.byteOffset }, format);
  };
  function* placed(group: Iterable<Line>): Generator<PlacedItem> {
    for (const line of group) {
      lines += 1;
      yield { item: parse(line), end: line.end, lines };
    }
  }
  for await (const group of lineGroups(chunks, MAX_LINE_BYTES)) yield placed(group);
}

/** `indent` is the number of white space bytes before the item in its line. */
function parseItem(
  bytes: Uint8Array,
  { number, line, indent }: Record<'number' | 'line' | 'indent', number>,
  format: InputFormat,
): Item | InvalidItem {
  const invalid = (reason: string, column?: number): InvalidItem => ({
    kind: 'invalid',
    number,
    line,
    reason,
    ...(column === undefined ? {} : { column: column + indent }),
  });
  const problem = jsonProblem(bytes);
  if (problem !== undefined) return invalid(problem.reason, problem.column);
  const { inputField, idField } = format;
  if (inputField === undefined && idField === undefined) return createItem(bytes, undefined, format, number, invalid);
  const text = textOf(bytes);
  const input = inputField === undefined ? bytes : encode(memberSource(text, inputField));
  if (input === undefined) return invalid(`it has no member ${JSON.stringify(inputField)}`);
  const id = idField === undefined ? undefined : memberSource(text, idField);
  if (idField !== undefined && id === undefined) return invalid(`it has no member ${JSON.stringify(idField)}`);
  return createItem(input, id, format, number, invalid);
}

const encode = (text: string | undefined): Uint8Array | undefined =>
  text === undefined ? undefined : Buffer.from(text);

function trim(bytes: Uint8Array): Uint8Array {
  let [from, to] = [0, bytes.byteLength];
  while (from < to && isJsonSpace(bytes[from])) from += 1;
  while (to > from && isJsonSpace(bytes[to - 1])) to -= 1;
  return to - from === bytes.byteLength ? bytes : bytes.subarray(from, to);
}
