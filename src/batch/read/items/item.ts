import { isUtf8 } from 'node:buffer';
import { type Failure, usage } from '../../../core/failure.ts';
import { decodeJson, JsonSyntaxError } from '../../../core/json.ts';
import { formatBytes } from '../../../core/units.ts';
import { PAYLOAD_LIMITS } from '../../../queue/limits.ts';
import type { Bytes } from '../../../core/unit-types.ts';

/**
 * Maximum length of a line or row. It is larger than the payload limit, because a line may have other
 * members. Longer lines are not kept in memory.
 */
export const MAX_LINE_BYTES: Bytes = 4 * PAYLOAD_LIMITS.run;

export const INPUT_FORMATS = ['jsonl', 'csv'] as const;

/** How an input file is read. */
export interface InputFormat {
  readonly path: string;
  readonly format: (typeof INPUT_FORMATS)[number];
  /** The member (or column) with the job's input; by default the whole line (or row) is the input. */
  readonly inputField?: string;
  /** The member (or column) that labels the item in the results. */
  readonly idField?: string;
  /** The types of CSV columns. */
  readonly types?: ColumnTypes;
  /**
   * The cells of a CSV file are as berth exports them: the apostrophe before what a spreadsheet would run as a formula is taken
   * away.
   */
  readonly exported?: boolean;
  /** What an input may have: see `maxInputBytes`. */
  readonly maxBytes: Bytes;
}

export const COLUMN_TYPES = ['string', 'number', 'boolean', 'json'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** The types of columns by their names; other columns contain text. */
export type ColumnTypes = Readonly<Record<string, ColumnType>>;

/** The input of one job. */
export interface Item {
  readonly kind: 'item';
  /** Position among all items of the input, from 1. */
  readonly number: number;
  /** JSON text, byte for byte as the file has it. */
  readonly input: Uint8Array;
  /** JSON text of the item's label (the `idField`). */
  readonly id?: string;
  /** Cells of its CSV row, and of the header with the first item, that lost the apostrophe of an export; absent where none did. */
  readonly removedApostrophes?: number;
}

/** An item that cannot be sent. */
export interface InvalidItem {
  readonly kind: 'invalid';
  readonly number: number;
  /** The input that has it, when a batch has several. */
  readonly input?: string;
  /** Line of the file, from 1. */
  readonly line: number;
  /** Character in the line, from 1, when it is known. */
  readonly column?: number;
  readonly reason: string;
}

/** Creates an item from JSON text, or calls `invalid` when it is no object (contract rules, Queue API) or too large. */
export function createItem(
  input: Uint8Array,
  id: string | undefined,
  { maxBytes }: InputFormat,
  number: number,
  invalid: (reason: string) => InvalidItem,
): Item | InvalidItem {
  if (input[input.findIndex((byte) => !isJsonSpace(byte))] !== BRACE)
    return invalid('it is not a JSON object, and the service accepts objects only');
  if (input.byteLength > maxBytes) {
    const payload = input.byteLength + PAYLOAD_LIMITS.run - maxBytes;
    return invalid(`its payload is ${payload} bytes; run takes at most ${formatBytes(PAYLOAD_LIMITS.run)}`);
  }
  return { kind: 'item', number, input, ...(id === undefined ? {} : { id }) };
}

/** `{`, with which the text of an object begins. */
const BRACE = 0x7b;

export const isJsonSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

/** Returns why bytes are not JSON text, or undefined when they are. */
export function jsonProblem(bytes: Uint8Array): { readonly reason: string; readonly column?: number } | undefined {
  const text = textOf(bytes);
  if (!isUtf8(bytes)) return { reason: 'it is not UTF-8 text', column: text.indexOf('\uFFFD') + 1 };
  // `decodeJson` skips a byte order mark; a service would not.
  if (text.startsWith('\uFEFF')) return { reason: 'it is not JSON: it begins with a byte order mark', column: 1 };
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    // `decodeJson` reports the position, and accepts nesting that is too deep for `JSON.parse`.
  }
  try {
    decodeJson(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { reason: `it is not JSON: ${error.message}`, column: error.column };
  }
}

/** The same bytes, which are not copied. */
export const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Decodes UTF-8; invalid bytes become replacement characters. */
export const textOf = (bytes: Uint8Array): string => bufferOf(bytes).toString('utf8');

export const withoutByteOrderMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

/** Returns the name of an input for messages. */
export const inputName = (path: string): string => (path === '-' ? 'stdin' : path);

/** Returns one line about an item that cannot be sent. */
export const describeInvalid = (path: string, { input = path, line, column, reason }: InvalidItem): string =>
  `${inputName(input)}, line ${line}${column === undefined ? '' : `, column ${column}`}: ${reason}`;

/** Returns the failure for a file that is not valid CSV: exit 2. */
export const invalidCsv = (path: string, line: number, reason: string, hint: string): Failure =>
  usage(`${inputName(path)}, line ${line}: ${reason}`, hint);
