import { isUtf8 } from 'node:buffer';
import { decodeJson, JsonSyntaxError } from '../../core/json.ts';
import type { Bytes } from '../../core/unit-types.ts';
import { formatBytes } from '../../core/units.ts';
import { PAYLOAD_LIMITS } from '../../queue/limits.ts';

/** Above the payload limit: a line may have other members. Longer lines are not kept in memory. */
export const MAX_LINE_BYTES: Bytes = 4 * PAYLOAD_LIMITS.run;

export interface InputFormat {
  readonly path: string;
  readonly format: 'jsonl' | 'csv';
  /** By default the complete line (or row) is the input. */
  readonly inputField?: string;
  /** The member (or column) that labels the item in the results. */
  readonly idField?: string;
  /** Lines that are whole submissions are inputs all the same. */
  readonly asIs?: boolean;
  readonly maxBytes: Bytes;
}

export interface Item {
  readonly kind: 'item';
  /** Among all items of the input, from 1. */
  readonly number: number;
  /** JSON text, byte for byte as the file has it. */
  readonly input: Uint8Array;
  /** JSON text of the item's label (the `idField`). */
  readonly id?: string;
}

export interface InvalidItem {
  readonly kind: 'invalid';
  readonly number: number;
  readonly input?: string;
  /** From 1. */
  readonly line: number;
  /** Character in the line, from 1, when it is known. */
  readonly column?: number;
  readonly reason: string;
}

/** By what is read at once: one `await` per item is slow. Iterate each group to its end before the next. */
export type ItemGroups = AsyncGenerator<Iterable<Item | InvalidItem>>;

/** Calls `invalid` for anything but an object (contract rules, Queue API), or one that is too large. */
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

const BRACE = 0x7b;

export const isJsonSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

export function jsonProblem(
  bytes: Uint8Array,
  text = textOf(bytes),
): { readonly reason: string; readonly column?: number } | undefined {
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

/** Invalid bytes become replacement characters. */
export const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

export const withoutByteOrderMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

export const inputName = (path: string): string => (path === '-' ? 'stdin' : path);

export const describeInvalid = (path: string, { input = path, line, column, reason }: InvalidItem): string =>
  `${inputName(input)}, line ${line}${column === undefined ? '' : `, column ${column}`}: ${reason}`;
