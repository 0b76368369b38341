import { isUtf8 } from 'node:buffer';
import { usage } from '../../core/failure.ts';
import { decodeJson, JsonSyntaxError } from '../../core/json.ts';
import { formatBytes } from '../../core/units.ts';

/** Bytes of a submission's body (specification 8.2); a megabyte is 1,000,000 bytes. */
export const PAYLOAD_LIMIT = 10_000_000;

/** A line or a row may hold more than its input, but not without bound: this many bytes of one are looked at. */
export const LONGEST_LINE = 4 * PAYLOAD_LIMIT;

/** How inputs are read. */
export interface InputShape {
  readonly path: string;
  readonly format: 'jsonl' | 'csv';
  /** The member (or column) that holds the job's input; without it the whole line does. */
  readonly inputField?: string;
  /** The member (or column) that names the item in the results. */
  readonly idField?: string;
  /** Members that go beside the input: `,"policy":{...}`, or nothing. */
  readonly extras: string;
}

/** One job's input. */
export interface Item {
  readonly kind: 'item';
  /** Counted from 1, over all that the input holds. */
  readonly number: number;
  /** The submission's body, the input in it byte for byte. */
  readonly body: Uint8Array;
  /** JSON text of its own id. */
  readonly id?: string;
}

/** What cannot be sent. */
export interface BadItem {
  readonly kind: 'bad';
  readonly number: number;
  /** Counted from 1, in the file. */
  readonly line: number;
  /** Characters from 1, where that is known. */
  readonly column?: number;
  readonly reason: string;
}

/** The item with this input, unless its body would be too large. */
export function sized(
  input: Uint8Array,
  id: string | undefined,
  shape: InputShape,
  number: number,
  bad: (reason: string) => BadItem,
): Item | BadItem {
  const body = Buffer.concat([OPEN, input, shape.extras === '' ? CLOSE : Buffer.from(`${shape.extras}}`)]);
  if (body.byteLength > PAYLOAD_LIMIT)
    return bad(`its payload is ${String(body.byteLength)} bytes; run takes at most ${formatBytes(PAYLOAD_LIMIT)}`);
  return { kind: 'item', number, body, ...(id === undefined ? {} : { id }) };
}

const OPEN = Buffer.from('{"input":');
const CLOSE = Buffer.from('}');

/** Why bytes are no JSON text; undefined where they are. */
export function whyNotJson(bytes: Uint8Array): { readonly reason: string; readonly column?: number } | undefined {
  const text = textOf(bytes);
  if (!isUtf8(bytes)) return { reason: 'it is not UTF-8 text', column: text.indexOf('\uFFFD') + 1 };
  // The exact reader passes over it, and a service would not.
  if (text.startsWith('\uFEFF')) return { reason: 'it is not JSON: it begins with a byte order mark', column: 1 };
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    // The exact reader says where; and it walks what the quick one may find too deep.
  }
  try {
    decodeJson(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { reason: `it is not JSON: ${error.message}`, column: error.column };
  }
}

/** Bytes as text, whether they are UTF-8 or not. */
export const textOf = (bytes: Uint8Array): string =>
  (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).toString('utf8');

/** Without the byte order mark at its beginning, where there is one. */
export const withoutMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

/** What a person calls the input. */
export const inputName = (path: string): string => (path === '-' ? 'stdin' : path);

/** Exit 2: nothing was sent. */
export const badCsv = (path: string, line: number, reason: string, hint: string): Error =>
  usage(`${inputName(path)}, line ${String(line)}: ${reason}`, hint);
