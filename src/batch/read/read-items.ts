import { type Line, lineGroups } from '../bytes/split-lines.ts';
import {
  createItem,
  type InputFormat,
  inputName,
  type InvalidItem,
  isJsonSpace,
  type Item,
  type ItemGroups,
  jsonProblem,
  MAX_LINE_BYTES,
  textOf,
  withoutByteOrderMark,
} from './items.ts';
import { type Failure, usage } from '../../core/failure.ts';
import { decodeJson, memberSource } from '../../core/json.ts';
import { formatBytes } from '../../core/units.ts';
import { isSubmission } from '../../queue/requests.ts';

/** Fails with usage (2) for an invalid CSV. */
export async function* readItems(chunks: AsyncIterable<Uint8Array>, format: InputFormat, firstItem = 1): ItemGroups {
  if (format.format === 'csv') {
    const { readCsv } = await import('./csv.ts');
    for await (const row of readCsv(chunks, format, firstItem)) yield [row];
    return;
  }
  let number = firstItem - 1;
  let line = 0;
  function* itemsOf(group: Iterable<Line>): Generator<Item | InvalidItem> {
    for (const { bytes, tooLong } of group) {
      line += 1;
      const content = line === 1 ? withoutByteOrderMark(bytes) : bytes;
      const text = trim(content);
      if (text.byteLength === 0 && !tooLong) continue;
      if (number === firstItem - 1 && text[0] === BRACKET) throw isArray(format.path);
      number += 1;
      yield tooLong
        ? { kind: 'invalid', number, line, reason: `the line is longer than ${formatBytes(MAX_LINE_BYTES)}` }
        : parseItem(text, { number, line, indent: text.byteOffset - content.byteOffset }, format);
    }
  }
  for await (const group of lineGroups(chunks, MAX_LINE_BYTES)) yield itemsOf(group);
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
  const text = textOf(bytes);
  const problem = jsonProblem(bytes, text);
  if (problem !== undefined) return invalid(problem.reason, problem.column);
  const { inputField, idField, asIs = false } = format;
  // Few lines are decoded for this.
  if (inputField === undefined && !asIs && BESIDE_INPUT.test(text) && isSubmission(decodeJson(text)))
    throw usage(
      `${inputName(format.path)}, line ${line}: this is a whole submission, "input" and what is sent beside it`,
      'Use --input-field input to send its input, or --as-is to send the line as the input.',
    );
  const input = inputField === undefined ? bytes : encode(memberSource(text, inputField));
  if (input === undefined) return invalid(`it has no member ${JSON.stringify(inputField)}`);
  const id = idField === undefined ? undefined : memberSource(text, idField);
  if (idField !== undefined && id === undefined) return invalid(`it has no member ${JSON.stringify(idField)}`);
  return createItem(input, id, format, number, invalid);
}

const BESIDE_INPUT = /"(?:policy|webhook|s3Config)"/;

const BRACKET = 0x5b;

const isArray = (path: string): Failure =>
  usage(
    `${inputName(path)} is a JSON array, not JSON lines`,
    `Make lines of it: jq -c '.[]' ${path === '-' ? 'array.json' : path} > items.jsonl`,
  );

const encode = (text: string | undefined): Uint8Array | undefined =>
  text === undefined ? undefined : Buffer.from(text);

function trim(bytes: Uint8Array): Uint8Array {
  let [from, to] = [0, bytes.byteLength];
  while (from < to && isJsonSpace(bytes[from])) from += 1;
  while (to > from && isJsonSpace(bytes[to - 1])) to -= 1;
  return to - from === bytes.byteLength ? bytes : bytes.subarray(from, to);
}
