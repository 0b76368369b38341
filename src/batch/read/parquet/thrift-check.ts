/** Limits of a structure in the compact protocol of Thrift, in which Parquet stores its metadata and page headers. */
interface ThriftLimits {
  /** Levels of structs inside each other. */
  readonly depth: number;
  /** Number of values together. */
  readonly values: number;
}

/** Receives a number or boolean (0 or 1) of the structure. `path` has the numbers of the fields that lead to it, such as 5, 1. */
type OnNumber = (path: readonly number[], value: number) => void;

/** The bytes are not a structure of Thrift, or exceed a limit. */
export class ThriftError extends Error {
  override readonly name = 'ThriftError';
}

const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const I16 = 4;
const I64 = 6;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;

/**
 * Returns the offset after the structure that begins at `start`. Allocates nothing, so that a hostile length, number of
 * items or level of nesting is found before a parser reads the same bytes. Gives the numbers that are in no list to
 * `onNumber`. Fails with ThriftError.
 */
export function endOfStruct(bytes: Uint8Array, start: number, limits: ThriftLimits, onNumber?: OnNumber): number {
  let offset = start;
  let values = 0;
  const path: number[] = [];

  const byte = (): number => {
    const value = bytes[offset++];
    if (value === undefined) throw new ThriftError('its metadata or a page header breaks off');
    return value;
  };
  const varint = (maxBytes: number): number => {
    let value = 0;
    for (let count = 0; count < maxBytes; count++) {
      const part = byte();
      value += (part & 0x7f) * 2 ** (7 * count);
      if (part < 0x80) return value;
    }
    throw new ThriftError('a number in its metadata is too long');
  };
  const skip = (length: number): void => {
    if (length > bytes.byteLength - offset) throw new ThriftError('its metadata or a page header breaks off');
    offset += length;
  };
  const element = (type: number, depth: number, isField = false): void => {
    values += 1;
    if (values > limits.values) throw new ThriftError('its metadata has too many values');
    if (type === BYTE) skip(1);
    else if (type >= I16 && type <= I64) {
      const value = signedOf(varint(type === I64 ? 10 : 5));
      if (isField) onNumber?.(path, value);
    } else if (type === DOUBLE) skip(8);
    else if (type === BINARY) skip(varint(5));
    else if (type === LIST) list(depth);
    else if (type === STRUCT) struct(depth + 1);
    else if (type !== TRUE && type !== FALSE) throw new ThriftError('a value in its metadata has an unknown type');
    else if (isField) onNumber?.(path, type === TRUE ? 1 : 0);
  };
  const list = (depth: number): void => {
    const head = byte();
    const type = head & 0x0f;
    const items = head >> 4 === 15 ? varint(5) : head >> 4;
    // Each item takes a byte or more, those of type boolean too.
    if (items > bytes.byteLength - offset) throw new ThriftError('a list in its metadata is longer than the data');
    for (let index = 0; index < items; index++) element(type === TRUE || type === FALSE ? BYTE : type, depth + 1);
  };
  const struct = (depth: number): void => {
    if (depth > limits.depth) throw new ThriftError('its metadata is nested too deeply');
    path.push(0);
    for (;;) {
      const head = byte();
      if ((head & 0x0f) === 0) break;
      // A field is numbered by the distance to the one before it, or by itself.
      path[depth - 1] = head >> 4 === 0 ? signedOf(varint(3)) : (path[depth - 1] ?? 0) + (head >> 4);
      element(head & 0x0f, depth, true);
    }
    path.pop();
  };
  struct(1);
  return offset;
}

/** Signed numbers are stored as 0, -1, 1, -2, ... */
export const signedOf = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);
