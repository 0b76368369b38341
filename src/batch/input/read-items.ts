import { formatBytes } from '../../core/units.ts';
import {
  inputName,
  sized,
  textOf,
  whyNotJson,
  withoutMark,
  LONGEST_LINE,
  type BadItem,
  type InputShape,
  type Item,
} from './item.ts';
import { lineGroups, type Line } from '../lines.ts';
import { memberSource } from '../../core/json-source.ts';

/**
 * The items of an input, in groups that lie together in it; each is made when it is asked for, and one is held at a
 * time. Walk each group to its end, before the next. Fails as the pieces do, and with usage (2) for a broken CSV.
 */
export async function* readItems(
  pieces: AsyncIterable<Uint8Array>,
  shape: InputShape,
): AsyncGenerator<Iterable<Item | BadItem>> {
  if (shape.format === 'csv') {
    const { readCsv } = await import('./csv.ts');
    yield* readCsv(pieces, shape);
    return;
  }
  let number = 0;
  let line = 0;
  function* itemsOf(lines: Iterable<Line>): Generator<Item | BadItem> {
    for (const { bytes, tooLong, start } of lines) {
      line += 1;
      const whole = start === 0 ? withoutMark(bytes) : bytes;
      const text = trimmed(whole);
      if (text.byteLength === 0 && !tooLong) continue;
      number += 1;
      const place = { number, line, indent: text.byteOffset - whole.byteOffset };
      yield tooLong
        ? { kind: 'bad', number, line, reason: `the line is longer than ${formatBytes(LONGEST_LINE)}` }
        : itemOf(text, place, shape);
    }
  }
  for await (const lines of lineGroups(pieces, LONGEST_LINE)) yield itemsOf(lines);
}

/** Where a line's text lies: the characters before it are white space. */
interface TextPlace {
  readonly number: number;
  readonly line: number;
  readonly indent: number;
}

/** The item of a line, or what is wrong with it. */
function itemOf(bytes: Uint8Array, { number, line, indent }: TextPlace, shape: InputShape): Item | BadItem {
  const bad = (reason: string, column?: number): BadItem => ({
    kind: 'bad',
    number,
    line,
    reason,
    ...(column === undefined ? {} : { column: column + indent }),
  });
  const trouble = whyNotJson(bytes);
  if (trouble !== undefined) return bad(trouble.reason, trouble.column);
  const { inputField, idField } = shape;
  if (inputField === undefined && idField === undefined) return sized(bytes, undefined, shape, number, bad);
  const text = textOf(bytes);
  const input = inputField === undefined ? bytes : encoded(memberSource(text, inputField));
  if (input === undefined) return bad(`it has no member ${JSON.stringify(inputField)}`);
  const id = idField === undefined ? undefined : memberSource(text, idField);
  if (idField !== undefined && id === undefined) return bad(`it has no member ${JSON.stringify(idField)}`);
  return sized(input, id, shape, number, bad);
}

const encoded = (text: string | undefined): Uint8Array | undefined =>
  text === undefined ? undefined : Buffer.from(text);

/** Without the white space around it. */
function trimmed(bytes: Uint8Array): Uint8Array {
  let [from, to] = [0, bytes.byteLength];
  while (from < to && isSpace(bytes[from])) from += 1;
  while (to > from && isSpace(bytes[to - 1])) to -= 1;
  return to - from === bytes.byteLength ? bytes : bytes.subarray(from, to);
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d;

/** A bad item as a person is told of it. */
export const describeBad = (path: string, { line, column, reason }: BadItem): string =>
  `${inputName(path)}, line ${String(line)}${column === undefined ? '' : `, column ${String(column)}`}: ${reason}`;
